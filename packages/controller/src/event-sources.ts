import { type DeepReadonly, groupKindKey, isMetadataOnly, type Kind, type KubeObject } from "@kubewright/apimachinery";
import { untilAborted } from "@kubewright/clock";
import { EventPipe } from "./event-pipe.ts";
import type { EventHandler } from "./handlers.ts";
import type { Predicate } from "./predicates.ts";
import type { Request } from "./request.ts";
import { type Source, SourceNotSyncedError } from "./source.ts";

/** Callbacks that a source adds to an informer. A returned promise is awaited before the next call. */
export interface InformerHandler<T extends KubeObject> {
  /** @param isInInitialList true if the object existed before the informer started */
  added(object: DeepReadonly<T>, isInInitialList: boolean): void | Promise<void>;
  /** Called after an update, and during resyncs with the same object twice. */
  updated(old: DeepReadonly<T>, object: DeepReadonly<T>): void | Promise<void>;
  /** @param isFinalStateUnknown true if the deletion event was missed; `object` is then the last known state */
  deleted(object: DeepReadonly<T>, isFinalStateUnknown: boolean): void | Promise<void>;
}

/** The members of an informer that a source needs. */
export interface SourceInformer<T extends KubeObject> {
  addHandler(handler: InformerHandler<T>): {
    /** Resolves to true when the handler has processed all objects that existed at the start, or to false if that can no longer happen. */
    synced(signal: AbortSignal): Promise<boolean>;
    remove(): Promise<void>;
  };
  /** Most recent error that interrupted listing or watching. `undefined` if the server has responded since. */
  readonly lastError?: unknown;
}

/** The members of a cache that a source needs. Implemented by `InformerCache`. */
export interface InformerProvider {
  /** @param options `isPartial`: see {@link KindSourceOptions} */
  getInformer<T extends KubeObject>(
    kind: Kind<T>,
    options?: { readonly isPartial?: boolean | undefined },
  ): SourceInformer<T> | Promise<SourceInformer<T>>;
}

/** Options for {@link kindSource}. */
export interface KindSourceOptions<T extends KubeObject, R = Request> {
  readonly handler: EventHandler<T, R>;
  /** Predicates for the events, evaluated in order. An event must satisfy all of them. Default: every event is accepted. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /** True if this program provides the kind's CRD, which is then part of the program's description. Default: unspecified. */
  readonly isDefinedHere?: boolean | undefined;
  /**
   * True if requests of the handler have the namespace of their object, so that the objects of this replica's shards suffice. Default false.
   */
  readonly isPartial?: boolean | undefined;
}

/**
 * Returns a source that delivers every change to a kind's objects, as seen in the cache. The source has synced once the
 * informer has synced and every existing object has been handled, except objects whose handler fails or takes longer
 * than 10 seconds.
 *
 * @see controller-runtime pkg/source Kind
 */
export function kindSource<T extends KubeObject, R = Request>(
  cache: InformerProvider,
  kind: Kind<T>,
  options: KindSourceOptions<T, R>,
): Source<R> {
  if (!cache) throw new Error("a kind source requires a cache");
  if (!kind?.kind) throw new Error("a kind source requires a kind");
  if (!options?.handler) throw new Error("a kind source requires a handler");
  const { handler, predicates = [], isDefinedHere, isPartial } = options;
  const groupKind = groupKindKey(kind);
  let lastError = (): unknown => undefined;
  let pipe: EventPipe<T, R> | undefined;
  return {
    get isHandling() {
      return pipe?.isHandling ?? false;
    },
    get lastError() {
      return lastError();
    },
    watched: { kind, cache, isDefinedHere },
    description: `kind source: ${isMetadataOnly(kind) ? "metadata of " : ""}${groupKind}`,
    async run(context, signal) {
      const events = new EventPipe<T, R>(groupKind, { handler, predicates }, context, signal);
      pipe = events;
      const informer = await cache.getInformer(kind, { isPartial });
      if (signal.aborted) return;
      lastError = () => informer.lastError;
      const registration = informer.addHandler({
        added: (object, isInInitialList) => events.push({ type: "create", object, isInInitialList }),
        updated: (old, object) => events.push({ type: "update", object, old }),
        deleted: (object, isFinalStateUnknown) => events.push({ type: "delete", object, isFinalStateUnknown }),
      });
      try {
        const hasSynced = await registration.synced(signal);
        if (signal.aborted) return;
        if (!hasSynced)
          throw new SourceNotSyncedError(`cache did not sync: ${groupKind}`, { cause: informer.lastError });
        await events.settled();
        context.synced();
        await untilAborted(signal);
      } finally {
        await registration.remove();
      }
    },
    async deliverAgain(context, signal) {
      const informer = await cache.getInformer(kind, { isPartial });
      if (signal.aborted) return;
      const ended = new AbortController();
      const end = (): void => ended.abort();
      signal.addEventListener("abort", end, { once: true });
      const events = new EventPipe<T, R>(groupKind, { handler, predicates }, context, ended.signal);
      // Changes are delivered by `run`.
      const registration = informer.addHandler({
        added: (object, isInInitialList) =>
          isInInitialList ? events.push({ type: "create", object, isInInitialList }) : undefined,
        updated: () => {},
        deleted: () => {},
      });
      const hasSynced = await registration.synced(signal);
      if (hasSynced) await events.settled();
      await registration.remove();
      void events.drained().then(() => {
        signal.removeEventListener("abort", end);
        end();
      });
      if (!hasSynced && !signal.aborted)
        throw new SourceNotSyncedError(`cache did not sync: ${groupKind}`, { cause: informer.lastError });
    },
  };
}

/** Options for {@link channelSource}. */
export interface ChannelSourceOptions<T extends KubeObject, R = Request> {
  readonly handler: EventHandler<T, R>;
  /** Predicates for the objects, evaluated in order. An object must satisfy all of them. Default: every object is accepted. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
}

/**
 * Returns a source that delivers objects from outside the cluster as generic events, in order. When the controller
 * stops, it closes the iterator. If the iteration ends earlier, the controller keeps running. If the iterable waits for
 * an operation that accepts an AbortSignal, pass a generator function instead; it receives a signal that aborts when
 * the controller stops.
 *
 * @see controller-runtime pkg/source Channel
 */
export function channelSource<T extends KubeObject, R = Request>(
  objects: AsyncIterable<T | DeepReadonly<T>> | ((signal: AbortSignal) => AsyncIterable<T | DeepReadonly<T>>),
  options: ChannelSourceOptions<T, R>,
): Source<R> {
  const description = "channel source";
  let pipe: EventPipe<T, R> | undefined;
  return {
    description,
    get isHandling() {
      return pipe?.isHandling ?? false;
    },
    async run(context, signal) {
      const iterable = typeof objects === "function" ? objects(signal) : objects;
      if (!iterable?.[Symbol.asyncIterator])
        throw new Error("a channel source requires an async iterable, or a function that returns one");
      const { handler, predicates = [] } = options;
      const events = new EventPipe<T, R>(description, { handler, predicates }, context, signal);
      pipe = events;
      context.synced();
      const iterator = iterable[Symbol.asyncIterator]();
      while (!signal.aborted) {
        const next = await untilStopped(iterator.next(), signal);
        if (!next || next.done) break;
        await events.push({ type: "generic", object: next.value as DeepReadonly<T> });
      }
      if (signal.aborted) void iterator.return?.().catch(() => {}); // the iteration is closed, so its errors are irrelevant
    },
  };
}

/** Returns a promise's result, or `undefined` once the signal aborts. Removes its listener in both cases. */
function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
