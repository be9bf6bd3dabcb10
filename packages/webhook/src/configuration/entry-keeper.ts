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
  /** Client that writes only while this process is the leader, and that reads from the API server. */
  readonly client: Pick<Reader, "get" | "list"> & Pick<Writer, "patch">;
  /** The program's name: the label `app.kubernetes.io/name` of its configurations. */
  readonly program: string;
  readonly names: ConfigurationNames;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly declarations: () => readonly WebhookDeclaration[];
  /** Returns a webhook's entry in its configuration; `undefined` as long as there is no trusted certificate. */
  readonly entryOf: (declaration: WebhookDeclaration) => object | undefined;
  /** Reports whether the API server serves a version of a resource. */
  readonly isServed: (resource: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
  }) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const nameLabel = "app.kubernetes.io/name";
/**
 * Names of the webhooks in a configuration's manifest, separated by commas. The leader adds and removes only entries that no manifest
 * contains.
 */
const manifestAnnotation = "kubewright.dev/webhooks";
/** Field owner of writes. Afterwards, it gives up the fields that it wrote. */
const fieldOwner = "kubewright-ca-injector";
/** Time for which an entry's successor must be active before the entry is removed, because API servers see changes late. */
const settleMs = 10_000;
const pollMs = 2_000;
/** Waiting time while something prevents a change, such as running pods of another revision. */
const obstacleMs = 5_000;
/** Waiting time if there is nothing to do. Only a new deployment brings work, and it starts new pods. */
const idleMs = 30_000;

/**
 * Updates the program's webhook configurations in the cluster. Adds entries that the program declares, and removes
 * entries that the program no longer declares but API servers still call. Waits until all of the program's pods run
 * this revision and, before removing an entry, until the entry's successor is active. Does not touch webhooks that the
 * last applied manifest contains or has removed, configurations without the program's label, or entries that call a
 * different Service. Runs only on the leader.
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
        if (!signal.aborted) logger.warn({ err }, "failed to update webhooks of earlier revisions; retrying");
        return obstacleMs;
      });
      await clock.sleep(waitMs, signal).catch(() => {});
    }
  }

  /** Makes the changes that are possible now. @returns milliseconds until the next turn */
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
          "leaving webhooks unchanged for now",
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
    this.#readySinceMs = undefined; // an added entry must settle too
    return pollMs;
  }

  #isOwn({ labels }: LiveConfiguration): boolean {
    return labels[nameLabel] === this.#options.program;
  }

  /** Returns entries that call the program but are not declared by it. */
  #former({ type, annotations, entries }: LiveConfiguration): LiveEntry[] {
    const { declarations, service } = this.#options;
    const declared = new Set(declarations().flatMap((one) => (one.type === type ? one.name : [])));
    const inManifest = namesIn(annotations);
    return entries
      .filter((one) => one !== undefined)
      .filter((one) => one.service.name === service.name && one.service.namespace === service.namespace)
      .filter(({ name }) => !declared.has(name) && !inManifest?.has(name));
  }

  /** Returns webhooks that the program declares but the last applied manifest, of an earlier revision, does not contain. */
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
      if (!entry?.caBundle) return `the webhook ${name}, which replaces it, is not in its configuration`;
      for (const one of resources)
        if (!(await isServed(one)))
          return `${one.plural} of ${one.group}/${one.version}, which ${name} handles, is not served`;
    }
    return undefined;
  }

  /** Returns the program's current webhooks for the same objects. */
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
      this.#options.logger.info({ configuration: name, entry }, "added a webhook for this revision");
  }

  /** Removes the entry, or does nothing if the configuration was changed in the meantime; the next turn then tries again. */
  async #remove({ type, name, entries }: LiveConfiguration, entry: LiveEntry, signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options;
    // Preceding entries may just have been removed.
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
      logger.info({ webhook: entry.name, configuration: name }, "removed a webhook for a different revision");
  }

  /** Patches a configuration. @returns false if the configuration was changed in the meantime; the next turn then tries again */
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

/**
 * Returns the names of the webhooks in the manifest, or `undefined` if the manifest is from a version without the
 * annotation.
 */
function namesIn(annotations: LiveConfiguration["annotations"]): ReadonlySet<string> | undefined {
  const text = annotations[manifestAnnotation];
  return text === undefined ? undefined : new Set(text.split(","));
}
