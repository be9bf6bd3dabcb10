import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import type { ChangeEvent, ListerWatcher } from "../source/lister-watcher.ts";
import type { IndexReader } from "../store/indexer.ts";
import { SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";

/** An informer whose changes can be read like the events of a watch. */
export interface InformerWatch<T extends KubeObject> extends AsyncDisposable {
  readonly informer: SharedInformer<T>;
  /** All changes in order. Each change is retained until it is read. Can be iterated only once. */
  readonly events: AsyncIterable<ChangeEvent<Stored<DeepReadonly<T>>>>;
  /** Stops the informer and ends the events. Resolves when the informer has ended. */
  stop(): Promise<void>;
}

/**
 * Starts an informer and delivers its changes as events until the signal aborts.
 *
 * @see client-go tools/watch NewIndexerInformerWatcher
 */
export function informerWatch<T extends KubeObject>(
  source: ListerWatcher<T>,
  signal: AbortSignal,
  options: SharedInformerOptions<T> = {},
): InformerWatch<T> {
  const stop = new AbortController();
  const informer = new SharedInformer(source, options);
  const waiting: ChangeEvent<Stored<DeepReadonly<T>>>[] = [];
  let wake = (): void => {};
  const push = (type: "ADDED" | "MODIFIED" | "DELETED", object: Stored<DeepReadonly<T>>): void => {
    waiting.push({ type, object });
    wake();
  };
  informer.addHandler({
    added: (object) => push("ADDED", object),
    updated: (_, object) => push("MODIFIED", object),
    deleted: (object) => push("DELETED", object),
  });
  const either = AbortSignal.any([signal, stop.signal]);
  either.addEventListener("abort", () => wake(), { once: true });
  const running = informer.run(either);
  async function* events(): AsyncGenerator<ChangeEvent<Stored<DeepReadonly<T>>>, void, undefined> {
    while (!either.aborted) {
      const event = waiting.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { informer, events: events(), stop: end, [Symbol.asyncDispose]: end };
}

/** Returns true for the awaited event. Throwing an error ends the wait. @see client-go tools/watch ConditionFunc */
export type UntilCondition<E> = (event: E) => boolean;

/** Thrown if the events end or the signal aborts before all conditions are met. */
export class UntilError<E> extends KubewrightError {
  override readonly name = "UntilError";
  readonly code = "ERR_UNTIL";
  /** `timeout` if the signal aborted; `closed` if the events ended. */
  readonly reason: "timeout" | "closed";
  /** The last event received, if any. */
  readonly lastEvent: E | undefined;

  constructor(reason: "timeout" | "closed", lastEvent: E | undefined) {
    super(reason === "timeout" ? "timed out waiting for the condition" : "watch closed before the condition was met");
    this.reason = reason;
    this.lastEvent = lastEvent;
  }
}

/** Reports whether an error is an {@link UntilError}. */
export const isUntilError = isErrorWithCode<UntilError<unknown>>("ERR_UNTIL");

/**
 * Waits until all conditions have been met in order. One event may meet several conditions.
 *
 * @returns the event that met the last condition; `undefined` without conditions
 * @throws {UntilError} if the signal aborts or the events end first
 * @throws any error that a condition or the event source throws
 * @see client-go tools/watch UntilWithoutRetry
 */
export async function until<E>(
  events: AsyncIterable<E>,
  conditions: readonly UntilCondition<E>[],
  signal?: AbortSignal,
): Promise<E | undefined> {
  let lastEvent: E | undefined;
  let met = 0;
  if (conditions.length === 0) return undefined;
  const iterator = events[Symbol.asyncIterator]();
  let stopReading = (): void => {};
  const onAbort = (): void => stopReading();
  signal?.addEventListener("abort", onAbort, { once: true });
  let isReading = false;
  try {
    while (!signal?.aborted) {
      isReading = true;
      const next = await new Promise<IteratorResult<E> | undefined>((resolve, reject) => {
        stopReading = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (!next) break;
      isReading = false;
      if (next.done) throw new UntilError(signal?.aborted ? "timeout" : "closed", lastEvent);
      lastEvent = next.value;
      for (let condition = conditions[met]; condition?.(lastEvent); condition = conditions[met]) met++;
      if (met === conditions.length) return lastEvent;
    }
    throw new UntilError("timeout", lastEvent);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    const closed = iterator.return?.();
    if (!isReading) await closed;
    else closed?.catch(() => {}); // the event source may ignore the signal and end later
  }
}

/** Options for {@link untilWithSync}: those of the informer, and the signal and precondition for waiting. */
export interface UntilWithSyncOptions<T extends KubeObject> extends SharedInformerOptions<T> {
  /** Signal that ends the wait. */
  readonly signal: AbortSignal;
  /** Called once with the initial state. If it returns true, the wait ends without an event. */
  readonly precondition?: ((store: IndexReader<Stored<DeepReadonly<T>>>) => boolean) | undefined;
}

/**
 * Like {@link until}, but uses the events of an informer, which continue after a watch is interrupted.
 *
 * @returns the event that met the last condition, or `undefined` if the precondition was met
 * @throws {Error} if there is a precondition and the signal aborts before the initial state has arrived
 * @throws any error that {@link until} throws
 * @see client-go tools/watch UntilWithSync
 */
export async function untilWithSync<T extends KubeObject>(
  source: ListerWatcher<T>,
  conditions: readonly UntilCondition<ChangeEvent<Stored<DeepReadonly<T>>>>[],
  options: UntilWithSyncOptions<T>,
): Promise<ChangeEvent<Stored<DeepReadonly<T>>> | undefined> {
  const { signal, precondition, ...informerOptions } = options;
  const watch = informerWatch(source, signal, informerOptions);
  try {
    if (precondition) {
      if (!(await watch.informer.synced(signal)))
        throw new Error("UntilWithSync: unable to sync caches", { cause: signal.reason });
      if (precondition(watch.informer.indexer)) return undefined;
    }
    return await until(watch.events, conditions, signal);
  } finally {
    await watch.stop();
  }
}
