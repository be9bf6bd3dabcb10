import {
  type DeepReadonly,
  ignoreNotFound,
  isConflict,
  isInvalid,
  isRecord,
  type JsonPatchOperation,
  type Kind,
  type Unstructured,
  unstructured,
} from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { Manifest } from "@kubewright/client/apply";
import { CustomResourceDefinition, Deployment, Pod, Secret } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import {
  type Entry,
  entriesOf,
  isConfiguration,
  isSameEntry,
  isServed,
  resourcesOf,
} from "../check/webhook-entries.ts";
import type { DescribedProgram } from "../generate/describe-program.ts";
import { converting, expanding, isHeld } from "./definition-phases.ts";

/** Maximum time that API servers need to notice a changed CRD. */
const lagMs = 3_000;
const pollMs = 250;
/** Maximum time for the leader to remove entries. The leader first waits until API servers have seen the replacements. */
const pruneMs = 60_000;
/** Maximum number of attempts to patch a configuration that others may change at the same time. */
const attempts = 5;
const injector = "kubewright-ca-injector";
/** Options with which `deploy` itself applies objects. The project is the only owner of its CRDs, so it may take over their fields. */
const asDeployer = { fieldOwner: "kubewright", force: true } as const;
const templateHash = "pod-template-hash";

export interface TransitionOptions {
  readonly client: Client;
  readonly program: Pick<DescribedProgram, "webhooks" | "kinds" | "webhookConfigurations" | "certificates">;
  readonly manifests: readonly Manifest[];
  /** The Deployment, which is one of the new objects. */
  readonly deployment: Unstructured;
  /** Namespace of the Deployment. */
  readonly namespace: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

type ConfigurationKey = Pick<Unstructured, "kind" | "metadata">;

/** A configuration whose webhooks differ between the two revisions. */
interface Held {
  readonly key: ConfigurationKey;
  readonly next: readonly Entry[];
}

/**
 * The transition from one revision of a program to the next. While the pods are being replaced, CRDs and webhook
 * configurations are kept in a state that both revisions can work with:
 *
 * - Versions and webhooks that only the new revision serves are added once the earlier pods are gone.
 * - Webhooks that only the earlier revision declares remain until the new leader removes them. Webhooks that the new pods cannot serve are
 *   removed before the first pod is replaced.
 */
export class Transition {
  readonly #options: TransitionOptions;
  readonly #endMs: number;
  readonly #definitions = new Map<string, DeepReadonly<CustomResourceDefinition>>();
  readonly #configurations = new Map<string, Held>();
  readonly #unserved: { readonly key: ConfigurationKey; readonly entry: Entry }[] = [];
  readonly #dropped: { readonly entry: Entry; readonly atMs: number; readonly hasFollower: boolean }[] = [];
  /** Names of entries that the leader will remove, keyed by configuration. */
  readonly #left = new Map<string, readonly string[]>();
  #services: ReadonlySet<string> = new Set();
  #rolled: Promise<void> | undefined;
  /** Time at which the new revision's last webhook was applied. */
  #appliedMs: number | undefined;

  private constructor(options: TransitionOptions) {
    this.#options = options;
    this.#endMs = options.clock.monotonic() + options.timeoutMs;
  }

  /** Prepares a transition. Returns undefined if no pods are running, or if neither CRDs nor webhooks change. */
  static async between(options: TransitionOptions): Promise<Transition | undefined> {
    const { client, deployment, namespace, signal } = options;
    const { name } = deployment.metadata;
    const running = await client.get(Deployment, { namespace, name }, { signal }).catch(ignoreNotFound);
    const transition = new Transition(options);
    await transition.#look();
    if (!running?.status?.replicas) {
      for (const { key } of transition.#configurations.values()) await transition.#release(key);
      return undefined;
    }
    return transition.#configurations.size + transition.#definitions.size === 0 ? undefined : transition;
  }

  /** Returns the object in a state that both revisions can work with. */
  both(object: Unstructured): Unstructured {
    const live = object.kind === "CustomResourceDefinition" ? this.#definitions.get(object.metadata.name) : undefined;
    return live ? expanding(object, live) : object;
  }

  /**
   * Removes webhooks that the new pods cannot serve.
   *
   * @throws {StatusError} before any change is made, if the API server would reject a CRD later
   */
  async begin(): Promise<void> {
    const { client, clock, signal } = this.#options;
    for (const { object } of this.#held())
      await client.apply(CustomResourceDefinition, object, { ...asDeployer, dryRun: true, signal });
    for (const { key, entry } of this.#unserved) {
      await this.#remove(key, entry);
      const followers = [...this.#configurations.values()].flatMap(({ next }) => next);
      const resources = resourcesOf(entry);
      const hasFollower = followers.some(
        (one) => one.type === entry.type && resourcesOf(one).some((resource) => resources.includes(resource)),
      );
      this.#dropped.push({ entry, atMs: clock.monotonic(), hasFollower });
    }
  }

  /** Returns the object to apply. If it is a webhook configuration that changes, first waits until the earlier pods are gone. */
  async before(object: Unstructured): Promise<Unstructured> {
    const held = isConfiguration(object) ? this.#configurations.get(keyText(object)) : undefined;
    if (!held) return object;
    await this.roll();
    return this.#prepared(object, held);
  }

  /**
   * Waits until the earlier pods are gone, then applies the CRDs of the new revision.
   *
   * @throws {Error} if the pods do not terminate in time
   */
  roll(): Promise<void> {
    this.#rolled ??= this.#roll();
    return this.#rolled;
  }

  /** Waits until the leader has removed the remaining entries. @returns messages about webhooks that were removed early or still exist */
  async end(): Promise<string[]> {
    const { clock, signal } = this.#options;
    const endMs = Math.min(this.#endMs, clock.monotonic() + pruneMs);
    const nowMs = this.#appliedMs ?? clock.monotonic();
    while ((await this.#remaining()).length > 0 && clock.monotonic() < endMs) await clock.sleep(pollMs, signal);
    return [
      ...this.#dropped.map(({ entry, atMs, hasFollower }) => {
        const what = `webhook ${entry.name} was removed before the pods were replaced, because the new pods cannot serve it`;
        const span = `${Math.ceil((nowMs - atMs) / 1_000)} s`;
        return hasFollower
          ? `${what}. Writes of ${resourcesOf(entry).join(", ")} skipped this webhook for ${span}`
          : `${what}; the program declares no replacement`;
      }),
      ...(await this.#remaining()).map(
        (name) =>
          `webhook ${name} is still called; the program's leader will remove it once all pods run the same revision`,
      ),
    ];
  }

  async #look(): Promise<void> {
    const { client, manifests, program, signal } = this.#options;
    const wanted = manifests.map(({ object }) => object).filter(isConfiguration);
    for (const { object } of manifests.filter(({ object: { kind } }) => kind === "CustomResourceDefinition")) {
      const { name } = object.metadata;
      const live = await client.get(CustomResourceDefinition, { name }, { signal }).catch(ignoreNotFound);
      if (live && isHeld(object, live)) this.#definitions.set(name, live);
    }
    const {
      service,
      mutatingWebhookConfigurations = [],
      validatingWebhookConfigurations = [],
    } = program.certificates ?? {};
    const named = (kind: string, names: readonly string[]): ConfigurationKey[] =>
      names.map((name) => ({ kind, metadata: { name } }));
    const keys = [
      ...wanted,
      ...named("MutatingWebhookConfiguration", mutatingWebhookConfigurations),
      ...named("ValidatingWebhookConfiguration", validatingWebhookConfigurations),
    ];
    this.#services = new Set([
      ...wanted.flatMap(entriesOf).flatMap((one) => one.service ?? []),
      ...(service ? [`${service.namespace}/${service.name}`] : []),
    ]);
    for (const key of new Map(keys.map((one) => [keyText(one), one])).values()) {
      const next = wanted.filter((one) => keyText(one) === keyText(key)).flatMap(entriesOf);
      const before = await this.#own(key);
      if (before.length === next.length && next.every((a) => before.some((b) => isSameEntry(a, b)))) continue;
      this.#configurations.set(keyText(key), { key, next });
      this.#unserved.push(...before.filter((one) => !isServed(one, program)).map((entry) => ({ key, entry })));
    }
  }

  /** Returns the webhooks in a configuration that call the program's services. */
  async #own(key: ConfigurationKey): Promise<Entry[]> {
    const live = await this.#configuration(key);
    const entries = live ? entriesOf({ kind: key.kind, webhooks: live.webhooks }) : [];
    return entries.filter(({ service }) => service !== undefined && this.#services.has(service));
  }

  #configuration(key: ConfigurationKey): Promise<Unstructured | undefined> {
    const { client, signal } = this.#options;
    return client.get(kindFor(key), { name: key.metadata.name }, { signal }).catch(ignoreNotFound);
  }

  /** Patches the configuration; on a conflict, reads it again and retries. */
  async #patch(key: ConfigurationKey, steps: (live: Unstructured) => readonly JsonPatchOperation[]): Promise<void> {
    const { client, signal } = this.#options;
    const options = { type: "json", fieldOwner: injector, signal } as const;
    for (let attempt = 1; ; attempt++) {
      const live = await this.#configuration(key);
      const patch = live ? steps(live) : [];
      if (patch.length === 0) return;
      try {
        await client.patch(kindFor(key), { name: key.metadata.name }, patch, options);
        return;
      } catch (error) {
        if (attempt >= attempts || !(isConflict(error) || isInvalid(error))) throw error;
      }
    }
  }

  #remove(key: ConfigurationKey, { name }: Entry): Promise<void> {
    return this.#patch(key, (live) => {
      const path = `/webhooks/${webhooksOf(live).findIndex((one) => one.name === name)}`;
      if (path.endsWith("-1")) return [];
      return [
        { op: "test", path: `${path}/name`, value: name },
        { op: "remove", path },
      ];
    });
  }

  /**
   * Removes the CA injector from the fields' owners, which earlier versions did not do. Otherwise, fields that the injector still owned
   * would remain when an entry is removed.
   */
  #release(key: ConfigurationKey): Promise<void> {
    return this.#patch(key, ({ metadata: { managedFields = [] } }) => releaseOf(managedFields));
  }

  async #prepared(object: Unstructured, { key, next }: Held): Promise<Unstructured> {
    const { client, clock, signal } = this.#options;
    const caBundle = await this.#caBundle();
    const live = await this.#configuration(key);
    const before = await this.#own(key);
    // A webhook without a CA bundle fails every write until one is injected.
    const added = (there: readonly { readonly name?: unknown }[]) =>
      next
        .filter(({ name }) => !there.some((one) => one.name === name))
        .map(({ webhook }) => withBundle(webhook, caBundle));
    if (caBundle !== undefined && live)
      await this.#patch(key, (now) => {
        const values = added(webhooksOf(now));
        const list = Array.isArray(now.webhooks) || values.length === 0 ? [] : [{ path: "/webhooks", value: [] }];
        return [...list, ...values.map((value) => ({ path: "/webhooks/-", value }))].map((one) => ({
          op: "add",
          ...one,
        }));
      });
    else if (caBundle !== undefined && next.length > 0)
      await client.create(kindFor(key), { ...object, webhooks: added([]) }, { fieldOwner: injector, signal });
    await this.#release(key);
    const former = before.filter(({ name }) => !next.some((one) => one.name === name));
    this.#left.set(
      keyText(key),
      former.map(({ name }) => name),
    );
    this.#appliedMs = clock.monotonic();
    return { ...object, webhooks: [...next, ...former].map(({ webhook }) => withBundle(webhook, undefined)) };
  }

  /**
   * Returns the CA bundle for API servers, in base64, or undefined if the program has no certificate or does not have
   * one yet.
   */
  async #caBundle(): Promise<string | undefined> {
    const { client, program, signal } = this.#options;
    const { secret } = program.certificates ?? {};
    const found = secret ? await client.get(Secret, secret, { signal }).catch(ignoreNotFound) : undefined;
    return found?.data?.["ca.crt"] || undefined;
  }

  async #roll(): Promise<void> {
    await this.#untilReplaced();
    const { client, clock, signal } = this.#options;
    const apply = (object: Unstructured) => client.apply(CustomResourceDefinition, object, { ...asDeployer, signal });
    const held = this.#held();
    const converted = held.flatMap(({ object, live }) => converting(object, live) ?? []);
    const caBundle = await this.#caBundle();
    for (const object of converted) {
      await apply(object);
      if (caBundle === undefined) continue;
      const { name } = object.metadata;
      const spec = { conversion: { webhook: { clientConfig: { caBundle } } } };
      await client.patch(CustomResourceDefinition, { name }, { spec }, { fieldOwner: injector, signal });
    }
    if (converted.length > 0) await clock.sleep(lagMs, signal);
    for (const { object } of held) {
      const { name } = object.metadata;
      const { metadata } = await client.get(CustomResourceDefinition, { name }, { signal });
      const release = releaseOf(metadata.managedFields ?? []);
      if (release.length > 0)
        await client.patch(CustomResourceDefinition, { name }, release, { type: "json", fieldOwner: injector, signal });
      await apply(object);
    }
    // An API server matches a request for one version with a webhook for another version only if it serves both.
    if (held.length > 0) await clock.sleep(lagMs, signal);
  }

  /** Returns the new and live states of the CRDs that change after the pods are replaced. */
  #held(): { readonly object: Unstructured; readonly live: DeepReadonly<CustomResourceDefinition> }[] {
    return this.#options.manifests.flatMap(({ object }) => {
      const live = object.kind === "CustomResourceDefinition" ? this.#definitions.get(object.metadata.name) : undefined;
      return live ? [{ object, live }] : [];
    });
  }

  /** Waits until every pod, including terminating ones, was created from the Deployment's current template. */
  async #untilReplaced(): Promise<void> {
    const { client, deployment, namespace, clock, signal } = this.#options;
    const key = { namespace, name: deployment.metadata.name };
    for (;;) {
      const { metadata, spec, status } = await client.get(Deployment, key, { signal });
      const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
      const wanted = spec.replicas ?? 1;
      const isSeen = observedGeneration >= (metadata.generation ?? 0);
      const isComplete = isSeen && [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
      const labels = { ...spec.selector.matchLabels };
      const pods = isComplete ? await client.list(Pod, { namespace, labels, signal }) : [];
      const hashes = new Set(pods.map((pod) => pod.metadata.labels?.[templateHash]));
      if (isComplete && hashes.size <= 1) return;
      if (clock.monotonic() >= this.#endMs) {
        const why = isComplete ? "pods of the earlier revision did not terminate" : "its pods were not replaced";
        throw new Error(`deployment/${key.name}: ${why} in time; ${this.#heldText()} unchanged`);
      }
      await clock.sleep(pollMs, signal);
    }
  }

  #heldText(): string {
    const names = [
      ...this.#definitions.keys(),
      ...[...this.#configurations.values()].map(({ key }) => key.metadata.name),
    ];
    return `${names.join(", ")} ${names.length === 1 ? "stays" : "stay"}`;
  }

  async #remaining(): Promise<string[]> {
    const found: string[] = [];
    for (const [text, names] of this.#left) {
      const held = this.#configurations.get(text);
      const live = held && names.length > 0 ? await this.#own(held.key) : [];
      found.push(...live.map(({ name }) => name).filter((name) => names.includes(name)));
    }
    return found;
  }
}

const kindFor = ({ kind }: ConfigurationKey): Kind<Unstructured> =>
  unstructured({ apiVersion: "admissionregistration.k8s.io/v1", kind });

const webhooksOf = ({ webhooks }: Unstructured): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(webhooks) ? webhooks.filter(isRecord) : [];

const keyText = ({ kind, metadata: { name } }: ConfigurationKey): string => `${kind}/${name}`;

/**
 * Returns a patch that removes only the owner, and keeps the values. If no owner remained, the API server would restore the list of owners.
 */
function releaseOf(entries: readonly { readonly manager?: string | undefined }[]): JsonPatchOperation[] {
  if (entries.every(({ manager }) => manager === injector)) return [];
  const indexes = entries.flatMap(({ manager }, index) => (manager === injector ? [index] : [])).reverse();
  return indexes.flatMap((index): JsonPatchOperation[] => [
    { op: "test", path: `/metadata/managedFields/${index}/manager`, value: injector },
    { op: "remove", path: `/metadata/managedFields/${index}` },
  ]);
}

function withBundle(webhook: Entry["webhook"], caBundle: string | undefined): Entry["webhook"] {
  const { caBundle: _, ...called } = isRecord(webhook.clientConfig) ? webhook.clientConfig : {};
  return { ...webhook, clientConfig: { ...called, ...(caBundle === undefined ? {} : { caBundle }) } };
}
