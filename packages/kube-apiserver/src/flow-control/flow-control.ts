import { isRecord } from "@kubewright/apimachinery";
import { WatchedObjects } from "@kubewright/apiserver/admission";
import type { RequestUser } from "@kubewright/apiserver/authentication";
import type { RequestInfo, ResourceScope } from "@kubewright/apiserver/endpoints";
import type { LevelSeats } from "@kubewright/apiserver/metrics";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { type Clock, untilAborted } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Storage, StoredObject } from "@kubewright/storage";
import type { RulesWithSubjects } from "../kinds/flowcontrol/flow-schema-rules.ts";
import { reportLevel } from "./flow-control-objects.ts";
import { rulesMatch } from "./flow-schema-match.ts";

/** A flow schema with its priority level and the requests that it matches. */
interface Flow {
  readonly rules: readonly RulesWithSubjects[];
  /** Response headers that identify the flow schema and the priority level of the request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Number of concurrent requests that the priority levels share. It is the sum of kube-apiserver's two default limits. */
const serverSeats = 600;
const folder = "/flowcontrol.apiserver.k8s.io";

/**
 * Determines the flow schema for each request. Never queues or rejects requests, but uses the same objects, headers and
 * metric as upstream.
 *
 * @see apiserver pkg/util/flowcontrol configController
 */
export class FlowControl {
  readonly #schemas: WatchedObjects<ReadonlyObject>;
  readonly #levels: WatchedObjects<ReadonlyObject>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #known: { readonly generation: number; readonly flows: readonly Flow[] } = { generation: -1, flows: [] };
  #changed = Promise.withResolvers<void>();

  constructor(storage: Storage, clock: Clock, logger: Logger) {
    const read = (object: StoredObject): ReadonlyObject => object;
    const changed = (): void => this.#changed.resolve();
    this.#schemas = new WatchedObjects(storage, `${folder}/flowschemas/`, read, clock, changed);
    this.#levels = new WatchedObjects(storage, `${folder}/prioritylevelconfigurations/`, read, clock, changed);
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Returns the headers for the response to a request, or `undefined` if no flow schema matches the request. */
  headersFor(user: RequestUser, info: RequestInfo): Readonly<Record<string, string>> | undefined {
    return this.#flows.find(({ rules }) => rulesMatch(rules, user, info))?.headers;
  }

  /** Returns each priority level's share of concurrent requests. */
  nominalSeats(): readonly LevelSeats[] {
    const shares = this.#levels.all.map(({ metadata, spec }) => ({ level: metadata.name, share: sharesIn(spec) }));
    const total = shares.reduce((sum, { share }) => sum + share, 0);
    return shares.map(({ level, share }) => ({ level, seats: Math.ceil((serverSeats * share) / Math.max(total, 1)) }));
  }

  /** Watches the flow schemas and priority levels until the signal aborts, and records in each schema's status whether its level exists. */
  async run(schemas: ResourceScope | undefined, signal: AbortSignal): Promise<void> {
    const ended = untilAborted(signal);
    const following = [this.#schemas.run(signal), this.#levels.run(signal)];
    while (schemas && !signal.aborted) {
      await Promise.race([this.#changed.promise, ended]);
      this.#changed = Promise.withResolvers();
      if (!signal.aborted) await this.#report(schemas);
    }
    await Promise.all(following);
  }

  async #report(scope: ResourceScope): Promise<void> {
    const levels = new Set(this.#levels.all.map(({ metadata }) => metadata.name));
    for (const schema of this.#schemas.all)
      await reportLevel(scope, schema, levels, this.#clock).catch((err: unknown) => {
        this.#logger.debug(
          { err, flowSchema: schema.metadata.name },
          "cannot write the status, retrying on the next change",
        );
      });
  }

  /**
   * Flow schemas in order of precedence, and then of name. The first schema that matches a request applies. Schemas whose priority level
   * does not exist are left out.
   */
  get #flows(): readonly Flow[] {
    const generation = this.#schemas.generation + this.#levels.generation;
    if (this.#known.generation !== generation) this.#known = { generation, flows: this.#ordered() };
    return this.#known.flows;
  }

  #ordered(): Flow[] {
    const levels = new Map(this.#levels.all.map(({ metadata }) => [metadata.name, metadata.uid]));
    const flows = this.#schemas.all.flatMap(({ metadata, spec }) => {
      const { matchingPrecedence = 0, priorityLevelConfiguration, rules = [] } = (spec ?? {}) as FlowSchemaSpec;
      const level = levels.get(priorityLevelConfiguration?.name ?? "");
      if (level === undefined) return [];
      const headers = {
        "X-Kubernetes-Pf-Flowschema-Uid": metadata.uid ?? "",
        "X-Kubernetes-Pf-Prioritylevel-Uid": level,
      };
      return [{ matchingPrecedence, rules, headers }];
    });
    return flows.sort((a, b) => a.matchingPrecedence - b.matchingPrecedence); // already ordered by name
  }
}

interface FlowSchemaSpec {
  readonly matchingPrecedence?: number;
  readonly priorityLevelConfiguration?: { readonly name?: string };
  readonly rules?: readonly RulesWithSubjects[];
}

function sharesIn(spec: unknown): number {
  const { limited, exempt } = isRecord(spec) ? spec : {};
  const given = isRecord(limited) ? limited : isRecord(exempt) ? exempt : {};
  return typeof given.nominalConcurrencyShares === "number" ? given.nominalConcurrencyShares : 0;
}
