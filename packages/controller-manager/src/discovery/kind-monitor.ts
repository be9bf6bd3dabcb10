import {
  apiVersionOf,
  type DeepReadonly,
  gvkKey,
  isConditionTrue,
  type Kind,
  type KubeObject,
} from "@kubewright/apimachinery";
import { type HandlerRegistration, type InformerCache, metadataOnly } from "@kubewright/cache";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { type DeletableKinds, deletableKinds } from "./deletable-kinds.ts";

export interface KindMonitorOptions {
  readonly live: Client;
  readonly cache: InformerCache;
  /** Kinds that are cached whole anyway; of any other only the metadata is kept. */
  readonly cachedWhole: readonly Kind[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Who wants to know of every object of every kind. */
export interface KindObserver {
  /** An object is there, or changed: then `old` is what it was. */
  observe?(kind: Kind, object: DeepReadonly<KubeObject>, old?: DeepReadonly<KubeObject>): void;
  /** An object is gone. */
  forget?(kind: Kind, object: DeepReadonly<KubeObject>): void;
  /**
   * The kind's definition went, and took every object with it; the watch may have ended before it told of the last ones. Not told of a kind
   * that is merely missing in discovery: it may come back with all its objects.
   */
  kindGone?(kind: Kind): void;
  /** The server serves other kinds than before. */
  kindsChanged?(kinds: readonly Kind[]): void;
}

/** How often the server is asked which kinds there are, beside each time that a CustomResourceDefinition changes. */
const rediscoverMs = 30_000;
/** How long the first state of a kind may keep waiting who needs those of all: then one that cannot be listed is done without. */
const syncTimeoutMs = 30_000;
/** How soon again after a definition was established that discovery does not show yet. */
const lookAgainMs = 200;

/**
 * Watches every kind that the server has, custom resources included, and tells its observers what it sees.
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
  /** Every `Kind.group` that a definition was seen of. */
  readonly #defined = new Set<string>();
  #wake = Promise.withResolvers<void>();

  constructor(options: KindMonitorOptions) {
    this.#options = options;
    this.#whole = new Set(options.cachedWhole.map(gvkKey));
  }

  /** Before {@link run}. */
  add(observer: KindObserver): void {
    this.#observers.push(observer);
  }

  /** The kinds that are watched. */
  get kinds(): readonly Kind[] {
    return [...this.#monitored.values()].map(({ kind }) => kind);
  }

  /**
   * Resolves when the first state of every kind has been shown, or half a minute after the start: one kind that cannot be listed (its
   * conversion webhook is down) must not keep all others from being collected and counted.
   *
   * @see kubernetes pkg/controller/garbagecollector/garbagecollector.go initialSyncTimeout
   */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** What of a kind is in the cache: the kind itself, or its metadata. */
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
    const timeout = clock.after(syncTimeoutMs, () => this.#giveUpWaiting(), { unref: true });
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
        log.warn({ err }, "could not find out which kinds there are, trying again");
        pauseMs = 1_000;
      }
      await Promise.race([clock.sleep(pauseMs, signal), this.#wake.promise]);
    }
  }

  /** Starts watching new kinds and stops watching deleted ones. A kind of a stale group version stays: it is unknown, not deleted. */
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
      if (this.#defined.has(name) && !defined.has(name)) this.#tell((observer) => observer.kindGone?.(kind));
      if (!this.#whole.has(id)) await this.#options.cache.removeInformer(this.cached(kind));
    }
    for (const kind of kinds) {
      if (this.#monitored.has(gvkKey(kind))) continue;
      changed = true;
      const cached = this.cached(kind);
      // A controller may keep only some objects of the kind whole; that selection must not hide the others from the observers.
      if (cached !== kind) this.#options.cache.configure(cached, {});
      const registration = this.#options.cache.getInformer(cached).addHandler({
        added: (object) => this.#tell((observer) => observer.observe?.(kind, object)),
        updated: (old, object) => this.#tell((observer) => observer.observe?.(kind, object, old)),
        deleted: (object) => this.#tell((observer) => observer.forget?.(kind, object)),
      });
      this.#monitored.set(gvkKey(kind), { kind, registration });
    }
    await this.#firstStates(signal);
    if (signal.aborted) return;
    if (changed) this.#tell((observer) => observer.kindsChanged?.(kinds));
  }

  /**
   * Waits for the first state of every kind, but no longer than until it is time to look again: a kind whose definition went while it was
   * being listed never comes to one.
   */
  async #firstStates(signal: AbortSignal): Promise<void> {
    const registrations = [...this.#monitored.values()].map(({ registration }) => registration);
    const all = Promise.all(registrations.map((registration) => registration.synced(signal)));
    const waiting = new AbortController();
    const tooLong = this.#options.clock.sleep(rediscoverMs, AbortSignal.any([signal, waiting.signal]));
    await Promise.race([all.then(() => this.#synced.resolve()), this.#wake.promise, tooLong]);
    waiting.abort();
  }

  #giveUpWaiting(): void {
    const unsynced = [...this.#monitored.values()].filter(({ registration }) => !registration.hasSynced);
    const kinds = unsynced.map(({ kind }) => `${kind.kind}.${kind.group}`);
    if (kinds.length > 0) this.#options.log.warn({ kinds }, "not all kinds could be listed, going on without them");
    this.#synced.resolve();
  }

  #tell(what: (observer: KindObserver) => void): void {
    for (const observer of this.#observers) what(observer);
  }

  /** Whether a definition is established that discovery does not show yet. */
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
