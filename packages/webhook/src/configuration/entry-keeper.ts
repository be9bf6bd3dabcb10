import {
  isConflict,
  isInvalid,
  isNotFound,
  type JsonPatchOperation,
  type Kind,
  type KubeObject,
} from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { WebhookDeclaration } from "../admission/declaration.ts";
import { type ConfigurationNames, type LiveConfiguration, type LiveEntry, liveConfigurations } from "./live-entries.ts";
import { isOnlyRevision } from "./own-pods.ts";

export interface EntryKeeperOptions {
  /** Writes only while this process leads. Its reads are live. */
  readonly client: Pick<Reader, "get" | "list"> & Pick<Writer, "patch">;
  /** The program's name: the label `app.kubernetes.io/name` of its configurations. */
  readonly program: string;
  readonly names: ConfigurationNames;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly declarations: () => readonly WebhookDeclaration[];
  /** A webhook as its configuration is to have it; absent as long as there is no certificate that it could trust. */
  readonly entryOf: (declaration: WebhookDeclaration) => object | undefined;
  /** True if the API server serves a version of a resource. */
  readonly isServed: (resource: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
  }) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const nameLabel = "app.kubernetes.io/name";
/** Which webhooks the manifest of a configuration has, with commas between: what nobody's manifest has is the leader's to add and to remove. */
const manifestAnnotation = "kubewright.dev/webhooks";
/** Owns no field for long: it gives up what it wrote. */
const fieldOwner = "kubewright-ca-injector";
/** How long what follows an entry is live before the entry is removed: API servers hear of it late. */
const settleMs = 10_000;
const pollMs = 2_000;
/** While pods of another revision run, say. */
const obstacleMs = 5_000;
/** Nothing but a deployment brings work, and one comes with new pods. */
const idleMs = 30_000;

/**
 * Adds what the program declares, and removes what API servers still call and it no longer declares, once every pod of the program is of this revision; what
 * follows an entry must be live before. Webhooks that the manifest applied last has, or has left out, are not touched, nor are
 * configurations without the program's label, and entries that call another service. Runs on the leader alone.
 */
export class EntryKeeper {
  readonly #options: EntryKeeperOptions;
  #obstacle = "";
  #readySinceMs: number | undefined;

  constructor(options: EntryKeeperOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      const waitMs = await this.#turn(signal).catch((err: unknown) => {
        if (!signal.aborted)
          logger.warn({ err }, "webhooks of earlier revisions could not be looked after, trying again");
        return obstacleMs;
      });
      await clock.sleep(waitMs, signal).catch(() => {});
    }
  }

  /** @returns when there is something to look at again */
  async #turn(signal: AbortSignal): Promise<number> {
    const { client, names, clock, logger } = this.#options;
    const live = (await liveConfigurations(client, names, signal)).filter((one) => this.#isOwn(one));
    const former = live.flatMap((configuration) =>
      this.#former(configuration).map((entry) => ({ configuration, entry })),
    );
    const missing = live.flatMap((configuration) => this.#missing(configuration));
    if (former.length + missing.length === 0) {
      this.#readySinceMs = undefined;
      return idleMs;
    }
    const obstacle = await this.#obstacleTo(missing.length > 0 ? [] : former, live, signal);
    if (obstacle !== undefined) {
      if (obstacle !== this.#obstacle)
        logger.info(
          { former: former.map(({ entry }) => entry.name), missing: missing.map(({ name }) => name), obstacle },
          "webhooks stay as they are for now",
        );
      this.#obstacle = obstacle;
      this.#readySinceMs = undefined;
      return obstacleMs;
    }
    const nowMs = clock.monotonic();
    this.#readySinceMs ??= nowMs;
    if (nowMs - this.#readySinceMs < settleMs) return pollMs;
    for (const { configuration, entry } of missing) await this.#add(configuration, entry, signal);
    for (const { configuration, entry } of missing.length > 0 ? [] : former)
      await this.#remove(configuration, entry, signal);
    this.#readySinceMs = undefined; // what was added has to settle, too
    return pollMs;
  }

  #isOwn({ labels }: LiveConfiguration): boolean {
    return labels[nameLabel] === this.#options.program;
  }

  /** Entries that call the program and that it does not declare. */
  #former({ type, annotations, entries }: LiveConfiguration): LiveEntry[] {
    const { declarations, service } = this.#options;
    const declared = new Set(declarations().flatMap((one) => (one.type === type ? one.name : [])));
    const inManifest = namesIn(annotations);
    return entries
      .filter((one) => one !== undefined)
      .filter((one) => one.service.name === service.name && one.service.namespace === service.namespace)
      .filter(({ name }) => !declared.has(name) && !inManifest?.has(name));
  }

  /** What the program declares where the manifest that was applied last does not know of it: that of an earlier revision. */
  #missing(configuration: LiveConfiguration): { configuration: LiveConfiguration; name: string; entry: object }[] {
    const { declarations, entryOf } = this.#options;
    const inManifest = namesIn(configuration.annotations);
    if (!inManifest) return [];
    const there = new Set(configuration.entries.map((one) => one?.name));
    return declarations().flatMap((declaration) => {
      const { type, name } = declaration;
      if (type !== configuration.type || inManifest.has(name) || there.has(name)) return [];
      const entry = entryOf(declaration);
      return entry ? [{ configuration, name, entry }] : [];
    });
  }

  async #obstacleTo(
    former: readonly { readonly entry: LiveEntry }[],
    live: readonly LiveConfiguration[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client, service, isServed } = this.#options;
    const only = await isOnlyRevision(client, service.namespace, signal);
    if (only !== true) return only;
    for (const declaration of this.#followersOf(former.map(({ entry }) => entry))) {
      const { name, type, resources } = declaration;
      const entry = live
        .filter((one) => one.type === type)
        .flatMap(({ entries }) => entries)
        .find((one) => one?.name === name);
      if (!entry?.caBundle) return `webhook ${name}, which follows, is not in its configuration`;
      for (const one of resources)
        if (!(await isServed(one)))
          return `${one.plural} of ${one.group}/${one.version}, which ${name} is about, is not served`;
    }
    return undefined;
  }

  /** What the program asks about the same objects now. */
  #followersOf(former: readonly LiveEntry[]): readonly WebhookDeclaration[] {
    return this.#options
      .declarations()
      .filter(({ type, resources }) =>
        former.some(
          (entry) =>
            entry.type === type &&
            entry.rules.some(({ apiGroups, resources: plurals }) =>
              resources.some(
                ({ group, plural }) =>
                  apiGroups.some((one) => one === "*" || one === group) &&
                  plurals.some((one) => one === "*" || one === "*/*" || one.split("/")[0] === plural),
              ),
            ),
        ),
      );
  }

  async #add(configuration: LiveConfiguration, entry: object, signal: AbortSignal): Promise<void> {
    const { type, name, annotations, hasList } = configuration;
    const steps: JsonPatchOperation[] = [
      { op: "test", path: pointer("annotations", manifestAnnotation), value: annotations[manifestAnnotation] },
      ...(hasList ? [] : [{ op: "add", path: "/webhooks", value: [] } as const]),
      { op: "add", path: "/webhooks/-", value: entry },
    ];
    if (await this.#patch({ type, name }, steps, signal))
      this.#options.logger.info({ configuration: name, entry }, "added a webhook of this revision");
  }

  /** @returns after the entry was removed, or somebody else changed the configuration, which the next turn looks at */
  async #remove({ type, name, entries }: LiveConfiguration, entry: LiveEntry, signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options;
    // Those before it may have been removed a moment ago.
    const [found] = await liveConfigurations(client, { mutating: [], validating: [], [type]: [name] }, signal);
    const index = found?.entries.findIndex((one) => one?.name === entry.name && one.path === entry.path) ?? -1;
    if (!found || !this.#isOwn(found) || index < 0 || entries.length === 0) return;
    const path = `/webhooks/${index}`;
    const patch: JsonPatchOperation[] = [
      { op: "test", path: `${path}/name`, value: entry.name },
      { op: "test", path: `${path}/clientConfig/service/path`, value: entry.path },
      { op: "remove", path },
    ];
    if (await this.#patch({ type, name }, patch, signal))
      logger.info({ webhook: entry.name, configuration: name }, "removed a webhook of another revision");
  }

  /** @returns false if somebody else changed the configuration, which the next turn looks at */
  async #patch(
    { type, name }: Pick<LiveConfiguration, "type" | "name">,
    steps: readonly JsonPatchOperation[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, program } = this.#options;
    const own: JsonPatchOperation = { op: "test", path: pointer("labels", nameLabel), value: program };
    const kind: Kind<KubeObject> = type === "mutating" ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
    try {
      await client.patch(kind, name, [own, ...steps], { type: "json", fieldOwner, signal });
      return true;
    } catch (error) {
      if (isConflict(error) || isInvalid(error) || isNotFound(error)) return false;
      throw error;
    }
  }
}

const pointer = (field: "labels" | "annotations", key: string): string =>
  `/metadata/${field}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Absent where the manifest is of a version that did not say. */
function namesIn(annotations: LiveConfiguration["annotations"]): ReadonlySet<string> | undefined {
  const text = annotations[manifestAnnotation];
  return text === undefined ? undefined : new Set(text.split(","));
}
