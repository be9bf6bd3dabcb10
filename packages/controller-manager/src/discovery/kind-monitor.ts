import {
  apiVersionOf,
  type DeepReadonly,
  gvkKey,
  isConditionTrue,
  type Kind,
  type KubeObject,
  metadataOnly,
} from "@kubewright/apimachinery";
import type { HandlerRegistration, InformerCache } from "@kubewright/cache";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { type DeletableKinds, deletableKinds } from "./deletable-kinds.ts";

export interface KindMonitorOptions {
  readonly live: Client;
  readonly cache: InformerCache;
  /** Kinds whose objects are cached in full because a controller needs them. For all other kinds, only the metadata is cached. */
  readonly cachedWhole: readonly Kind[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Receives all changes to the objects of all kinds. */
export interface KindObserver {
  /** Called for a new or changed object; `old` is its previous state. */
  observe?(kind: Kind, object: DeepReadonly<KubeObject>, old?: DeepReadonly<KubeObject>): void;
  /** Called for a deleted object. */
  forget?(kind: Kind, object: DeepReadonly<KubeObject>): void;
  /**
   * Called when a kind's CRD, and therefore all of its objects, have been deleted. The watch may have ended before it reported the last
   * deletions. Not called for a kind that is only missing from discovery, because such a kind may reappear with all of its objects.
   */
  kindGone?(kind: Kind): void;
  /** Called when the set of kinds that the server serves has changed. */
  kindsChanged?(kinds: readonly Kind[]): void;
}

/** Interval between discovery runs. Each change to a CustomResourceDefinition also triggers a run. */
const rediscoverMs = 30_000;
/** Maximum time to wait for the initial lists of all kinds. After that, kinds that cannot be listed are skipped. */
const syncTimeoutMs = 30_000;
/** Delay before discovery is repeated if its result does not contain the kind of an established CRD. */
const lookAgainMs = 200;

/**
 * Watches every kind that the server serves, including custom resources, and passes all changes to its observers.
 *
 * @see kubernetes pkg/controller/garbagecollector/graph_builder.go, pkg/controller/resourcequota/resource_quota_monitor.go
 */
export class KindMonitor {
  readonly group = "others";
  readonly #options: KindMonitorOptions;
  readonly #whole: ReadonlySet<string>;
  readonly #observers: KindObserver[] = [];
  readonly #monitored = new Map<string, { readonly kind: Kind; readonly registration: HandlerRegistration }>();
  readonly #synced = Promise.withResolvers<void>();
  /** Names of all kinds with a known CRD, in the form `Kind.group`. */
  readonly #defined = new Set<string>();
  #wake = Promise.withResolvers<void>();

  constructor(options: KindMonitorOptions) {
    this.#options = options;
    this.#whole = new Set(options.cachedWhole.map(gvkKey));
  }

  /** Adds an observer; call it before {@link run}. */
  add(observer: KindObserver): void {
    this.#observers.push(observer);
  }

  /** The kinds that are being watched. */
  get kinds(): readonly Kind[] {
    return [...this.#monitored.values()].map(({ kind }) => kind);
  }

  /**
   * Resolves when the initial state of every kind has been reported, or half a minute after the start. A kind that cannot be listed (for
   * example, because its conversion webhook is down) must not prevent the objects of all other kinds from being collected and counted.
   *
   * @see kubernetes pkg/controller/garbagecollector/garbagecollector.go initialSyncTimeout
   */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Returns the kind to use for reading a kind's objects from the cache: either the kind itself or its metadata-only form. */
  cached(kind: Kind): Kind {
    return this.#whole.has(gvkKey(kind)) ? kind : metadataOnly(kind);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, cache } = this.#options;
    const definitions = cache.getInformer(CustomResourceDefinition);
    const wake = (): void => this.#wake.resolve();
    const seen = (definition: DeepReadonly<CustomResourceDefinition>): void => {
      this.#defined.add(definedKind(definition));
      wake();
    };
    definitions.addHandler({ added: seen, updated: (_, definition) => seen(definition), deleted: wake });
    const timeout = clock.after(syncTimeoutMs, () => this.#stopWaiting(), { unref: true });
    signal.addEventListener("abort", () => timeout.cancel(), { once: true });
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers<void>();
      let pauseMs = rediscoverMs;
      try {
        const found = await deletableKinds(this.#options.live);
        await this.#follow(found, signal);
        if (await this.#lacksDefined(found.kinds)) pauseMs = lookAgainMs;
      } catch (err) {
        if (signal.aborted) return;
        log.warn({ err }, "cannot discover kinds; retrying");
        pauseMs = 1_000;
      }
      await Promise.race([clock.sleep(pauseMs, signal), this.#wake.promise]);
    }
  }

  /**
   * Starts watching new kinds, and stops watching deleted ones. If a group version is stale, continues to watch its kinds, because they may
   * still exist.
   */
  async #follow({ kinds, stale }: DeletableKinds, signal: AbortSignal): Promise<void> {
    const present = new Set(kinds.map(gvkKey));
    const unknown = new Set(stale.map(apiVersionOf));
    const definitions = await this.#options.cache.list(CustomResourceDefinition);
    const defined = new Set(definitions.map(definedKind));
    let changed = false;
    for (const [id, { kind, registration }] of this.#monitored) {
      if (present.has(id) || unknown.has(apiVersionOf(kind))) continue;
      changed = true;
      this.#monitored.delete(id);
      registration.remove();
      const name = `${kind.kind}.${kind.group}`;
      if (this.#defined.has(name) && !defined.has(name)) this.#notify((observer) => observer.kindGone?.(kind));
      if (!this.#whole.has(id)) await this.#options.cache.removeInformer(this.cached(kind));
    }
    for (const kind of kinds) {
      if (this.#monitored.has(gvkKey(kind))) continue;
      changed = true;
      const cached = this.cached(kind);
      // A controller may cache only some objects of the kind; its selector must not hide the others from the observers.
      if (cached !== kind) this.#options.cache.configure(cached, {});
      const registration = this.#options.cache.getInformer(cached).addHandler({
        added: (object) => this.#notify((observer) => observer.observe?.(kind, object)),
        updated: (old, object) => this.#notify((observer) => observer.observe?.(kind, object, old)),
        deleted: (object) => this.#notify((observer) => observer.forget?.(kind, object)),
      });
      this.#monitored.set(gvkKey(kind), { kind, registration });
    }
    await this.#firstStates(signal);
    if (signal.aborted) return;
    if (changed) this.#notify((observer) => observer.kindsChanged?.(kinds));
  }

  /**
   * Waits for the initial state of every kind, but at most until the next discovery run, because a kind whose CRD is deleted while its
   * objects are being listed never has an initial state.
   */
  async #firstStates(signal: AbortSignal): Promise<void> {
    const registrations = [...this.#monitored.values()].map(({ registration }) => registration);
    const all = Promise.all(registrations.map((registration) => registration.synced(signal)));
    const waiting = new AbortController();
    const tooLong = this.#options.clock.sleep(rediscoverMs, AbortSignal.any([signal, waiting.signal]));
    await Promise.race([all.then(() => this.#synced.resolve()), this.#wake.promise, tooLong]);
    waiting.abort();
  }

  #stopWaiting(): void {
    const unsynced = [...this.#monitored.values()].filter(({ registration }) => !registration.hasSynced);
    const kinds = unsynced.map(({ kind }) => `${kind.kind}.${kind.group}`);
    if (kinds.length > 0) this.#options.log.warn({ kinds }, "cannot list some kinds; continuing without them");
    this.#synced.resolve();
  }

  #notify(what: (observer: KindObserver) => void): void {
    for (const observer of this.#observers) what(observer);
  }

  /** Reports whether a discovery result lacks the kind of any established CRD. */
  async #lacksDefined(kinds: readonly Kind[]): Promise<boolean> {
    const known = new Set(kinds.map(({ group, kind }) => `${kind}.${group}`));
    const definitions = await this.#options.cache.list(CustomResourceDefinition);
    return definitions.some(
      (definition) =>
        definition.metadata.deletionTimestamp === undefined &&
        isConditionTrue(definition.status?.conditions, "Established") &&
        !known.has(definedKind(definition)),
    );
  }
}

const definedKind = ({ spec }: DeepReadonly<CustomResourceDefinition>): string => `${spec.names.kind}.${spec.group}`;
