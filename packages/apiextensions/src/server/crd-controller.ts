import { ignoreNotFound, jsonEqual, setCondition, type Unstructured } from "@kubewright/apimachinery";
import type { ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ServedResource } from "@kubewright/apiserver/registry";
import type { GenericServer, ServingContext } from "@kubewright/apiserver/server";
import { serverContext, withRetries } from "@kubewright/apiserver/server";
import type { WebhookClients } from "@kubewright/apiserver/webhook";
import { rfc3339, type Timer } from "@kubewright/clock";
import { builtinCatalogue } from "@kubewright/codec/schema";
import type { Logger } from "@kubewright/log";
import { everything } from "@kubewright/storage";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { namingConditions, type TakenNames } from "../definition/naming.ts";
import { servedVersions } from "../served/served-versions.ts";
import {
  cleanupFinalizer,
  crdPrefix,
  crdResource,
  hasAllNames,
  isEstablished,
  namesOfBuiltin,
  namesOfDefinition,
  releasesNames,
} from "./crd-object.ts";
import { removeInstances } from "./remove-instances.ts";

/** Delay before all CRDs are checked again after a failure. */
const retryMs = 1_000;

/**
 * A controller for CRDs: accepts their names, adds their resources to the server, updates their status, and cleans up
 * after deleted CRDs.
 *
 * @see apiextensions-apiserver pkg/controller/{status,establish,finalizer}, pkg/apiserver customresource_handler
 */
export class CrdController {
  readonly #context: ServingContext;
  readonly #server: GenericServer;
  readonly #webhooks: WebhookClients;
  readonly #logger: Logger;
  /** Served resources by CRD name. */
  readonly #served = new Map<
    string,
    {
      readonly definition: CustomResourceDefinition;
      readonly key: string;
      readonly resources: readonly ServedResource[];
      readonly watchableFrom: string | undefined;
    }
  >();
  #isSynced = false;
  #onFailure = (): void => {};
  readonly #cleaning = new Map<string, Promise<void>>();
  readonly #synced = Promise.withResolvers<void>();

  /** Creates a controller, which starts when {@link run} is called. @param webhooks calls conversion webhooks */
  constructor(context: ServingContext, server: GenericServer, webhooks: WebhookClients, logger: Logger) {
    this.#context = context;
    this.#webhooks = webhooks;
    this.#server = server;
    this.#logger = logger;
  }

  /** Watches CRDs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    const options = { clock, logger: this.#logger, what: "cannot watch CRDs", signal };
    while (!signal.aborted) await withRetries(() => this.#follow(signal), options);
    this.#synced.resolve();
    await Promise.all(this.#cleaning.values());
  }

  /**
   * Watches CRDs until the watch position expires, the storage restores an earlier state, or a CRD cannot be synced. The caller then checks
   * all CRDs again.
   */
  async #follow(signal: AbortSignal): Promise<void> {
    const anew = new AbortController();
    const { clock, storage } = this.#context;
    let retry: Timer | undefined;
    this.#onFailure = () => {
      retry ??= clock.after(retryMs, () => anew.abort(), { unref: true });
    };
    try {
      const resourceVersion = await this.#syncAll(signal);
      this.#isSynced = true;
      this.#synced.resolve();
      const until = AbortSignal.any([signal, anew.signal]);
      for await (const event of storage.watch(crdPrefix, { resourceVersion, predicate: everything, signal: until }))
        if (event.type !== "BOOKMARK") await this.#changed(event.type, crdOf(event.object), signal);
    } finally {
      retry?.cancel();
    }
  }

  /** Checks all CRDs. Resolves to the resource version of the list of CRDs. */
  async #syncAll(signal: AbortSignal): Promise<string> {
    const { items, metadata } = await this.#context.storage.getList(crdPrefix, { predicate: everything });
    const names = new Set(items.map((item) => item.metadata.name));
    for (const [name, { definition }] of [...this.#served])
      if (!names.has(name)) await this.#changed("DELETED", definition, signal);
    for (const item of items) await this.#changed("ADDED", crdOf(item), signal);
    return metadata.resourceVersion;
  }

  /** Resolves once the initial CRDs are served. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  async #changed(
    type: "ADDED" | "MODIFIED" | "DELETED",
    crd: CustomResourceDefinition,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      if (type === "DELETED") await this.#forget(crd, signal);
      else await this.#sync(crd, signal);
    } catch (error) {
      this.#logger.error({ err: error, name: crd.metadata.name }, "cannot sync a CRD; retrying");
      this.#onFailure();
    }
  }

  async #sync(crd: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const { name } = crd.metadata;
    if (crd.metadata.deletionTimestamp) {
      this.#serve(crd);
      if (!this.#cleaning.has(name)) this.#cleaning.set(name, this.#cleanUp(crd, signal));
      return;
    }
    const status = await this.#statusFor(crd);
    const next = { ...crd, status };
    if (isEstablished(next)) this.#serve(next);
    if (!jsonEqual(status, crd.status)) await this.#writeStatus(name, status);
    if (releasesNames(crd, next)) await this.#offerNames(crd, signal);
  }

  /** Checks whether other CRDs in the group can now get the names for which they are waiting. */
  async #offerNames(
    { metadata: { name }, spec: { group } }: CustomResourceDefinition,
    signal: AbortSignal,
  ): Promise<void> {
    for (const other of await this.#all())
      if (other.spec.group === group && other.metadata.name !== name && !hasAllNames(other))
        await this.#sync(other, signal);
  }

  async #statusFor(crd: CustomResourceDefinition): Promise<NonNullable<CustomResourceDefinition["status"]>> {
    const { acceptedNames, namesAccepted, established } = namingConditions(crd, await this.#namesOfOthers(crd));
    const time = rfc3339(this.#context.clock.now());
    const conditions = structuredClone(crd.status?.conditions ?? []);
    setCondition(conditions, namesAccepted, time);
    if (!isEstablished(crd)) setCondition(conditions, established, time);
    const storedVersions = crd.status?.storedVersions ?? [];
    return { ...crd.status, conditions, acceptedNames, storedVersions };
  }

  async #namesOfOthers(crd: CustomResourceDefinition): Promise<TakenNames[]> {
    const { group } = crd.spec;
    const builtin = builtinCatalogue.filter((entry) => entry.group === group).map(namesOfBuiltin);
    const others = (await this.#all()).filter(
      (other) => other.spec.group === group && other.metadata.name !== crd.metadata.name,
    );
    return [...builtin, ...others.flatMap(namesOfDefinition)];
  }

  async #all(): Promise<CustomResourceDefinition[]> {
    const { items } = await this.#context.storage.getList(crdPrefix, { predicate: everything });
    return items.map(crdOf);
  }

  /** Adds the CRD's resources to the server, unless they are already served. */
  #serve(crd: CustomResourceDefinition): void {
    const { name } = crd.metadata;
    const known = this.#served.get(name);
    const key = `${crd.metadata.uid}/${crd.metadata.deletionTimestamp ?? ""}/${JSON.stringify(crd.status?.acceptedNames)}`;
    if (known && known.key === key && jsonEqual(known.definition.spec, crd.spec)) return;
    const isOther = !known || definesOtherwise(known.definition, crd);
    // a CRD that existed when this server started counts as unchanged
    const watchableFrom = isOther && this.#isSynced ? crd.metadata.resourceVersion : known?.watchableFrom;
    const resources = servedVersions(crd, { webhooks: this.#webhooks }).map((resource) => ({
      ...resource,
      ...(watchableFrom === undefined ? {} : { watchableFrom }),
    }));
    this.#served.set(name, { definition: crd, key, resources, watchableFrom });
    const versions = new Set(resources.map(({ version }) => version));
    const dropped = (known?.resources ?? []).filter(({ version }) => !versions.has(version));
    for (const resource of dropped) this.#drop(resource);
    this.#server.resources.addAll(resources.map((resource) => this.#context.scopeOf(resource)));
    // a running watch keeps sending objects in the old form, so its client must reconnect and list the objects in the
    // new form
    if (known && isOther) this.#endWatches(known.resources);
  }

  #drop(resource: ServedResource): void {
    this.#server.resources.remove(resource);
    this.#endWatches([resource]);
  }

  #endWatches(resources: readonly ServedResource[]): void {
    const isAmong = (other: ServedResource): boolean =>
      resources.some(
        ({ group, version, resource }) =>
          other.group === group && other.version === version && other.resource === resource,
      );
    for (const watch of this.#context.watches.of(isAmong)) watch.end();
  }

  /** Removes a deleted CRD's resources and frees its names. */
  async #forget(crd: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const { name } = crd.metadata;
    for (const resource of this.#served.get(name)?.resources ?? []) this.#drop(resource);
    this.#served.delete(name);
    await this.#offerNames(crd, signal);
  }

  async #cleanUp(crd: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const { name } = crd.metadata;
    const { clock } = this.#context;
    const options = {
      clock,
      logger: this.#logger,
      what: `cannot remove instances of the deleted CRD ${name}`,
      signal,
    };
    await withRetries(async () => {
      const scope = this.#storageScope(crd);
      if (scope) {
        await this.#terminating(name, "InstanceDeletionInProgress", "CustomResource deletion is in progress");
        await removeInstances(this.#context, scope, signal);
      }
      if (!signal.aborted) await this.#release(name);
    }, options);
    this.#cleaning.delete(name);
  }

  #storageScope(crd: CustomResourceDefinition): ResourceScope | undefined {
    const resources = this.#served.get(crd.metadata.name)?.resources ?? [];
    const stored = crd.spec.versions.find(({ storage }) => storage)?.name;
    const resource = resources.find(({ version }) => version === stored) ?? resources[0];
    return resource && this.#server.resources.find(resource.group, resource.version, resource.resource);
  }

  async #terminating(name: string, reason: string, message: string): Promise<void> {
    const stored = await this.#context.storage.get(`${crdPrefix}${name}`, { ignoreNotFound: true });
    if (!stored) return;
    const crd = crdOf(stored);
    const next = { type: "Terminating", status: "True", reason, message } as const;
    const conditions = structuredClone(crd.status?.conditions ?? []);
    setCondition(conditions, next, rfc3339(this.#context.clock.now()));
    await this.#writeStatus(name, { ...crd.status, conditions });
  }

  async #writeStatus(name: string, status: NonNullable<CustomResourceDefinition["status"]>): Promise<void> {
    await this.#update(name, "status", (crd) => ({ ...crd, status }));
  }

  /** Removes the finalizer from a CRD, so that the CRD is deleted. */
  async #release(name: string): Promise<void> {
    await this.#update(name, "main", (crd) => ({
      ...crd,
      metadata: {
        ...crd.metadata,
        finalizers: (crd.metadata.finalizers ?? []).filter((other) => other !== cleanupFinalizer),
      },
    }));
  }

  async #update(
    name: string,
    part: "main" | "status",
    change: (crd: CustomResourceDefinition) => CustomResourceDefinition,
  ): Promise<void> {
    const scope = this.#server.resources.find(crdResource.group, crdResource.version, crdResource.resource);
    const { clock } = this.#context;
    const written = {
      manager: "kube-apiserver",
      subresource: part === "status" ? "status" : "",
      time: rfc3339(clock.now()),
      resetFields: part === "status" ? [["spec"], ["metadata"]] : [["status"]],
    };
    await scope?.store
      .update(
        {
          name,
          part,
          transform(current) {
            const next: Unstructured = { ...change(crdOf(structuredClone(current))) };
            return scope.resource.fieldManager?.update(current, next, written) ?? next;
          },
        },
        serverContext(clock, ""),
      )
      .catch(ignoreNotFound);
  }
}

/**
 * Reports whether a change to a CRD affects how its resources are served.
 *
 * @see apiextensions-apiserver pkg/apiserver customresource_handler updateCustomResourceDefinition
 */
const definesOtherwise = (before: CustomResourceDefinition, now: CustomResourceDefinition): boolean =>
  before.metadata.uid !== now.metadata.uid ||
  !jsonEqual(before.spec, now.spec) ||
  !jsonEqual(before.status?.acceptedNames, now.status?.acceptedNames);

const crdOf = (object: unknown): CustomResourceDefinition => object as CustomResourceDefinition;
