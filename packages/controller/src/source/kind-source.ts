import { type DeepReadonly, groupKindKey, isMetadataOnly, type Kind, type KubeObject } from "@kubewright/apimachinery";
import type { EventHandler } from "../handler/event-handler.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { Request } from "../reconcile/request.ts";
import { EventPipe } from "./event-pipe.ts";
import { NotSyncedError } from "./not-synced-error.ts";
import type { Source } from "./source.ts";

/** What a source hears of an informer; a promise is waited for before the next call. */
export interface InformerHandler<T extends KubeObject> {
  /** @param isInInitialList it was there before the informer began */
  added(object: DeepReadonly<T>, isInInitialList: boolean): void | Promise<void>;
  /** Also called by a resync, with twice the same object. */
  updated(old: DeepReadonly<T>, object: DeepReadonly<T>): void | Promise<void>;
  /** @param isFinalStateUnknown the deletion was missed, and this is the last that was seen of it */
  deleted(object: DeepReadonly<T>, isFinalStateUnknown: boolean): void | Promise<void>;
}

/** What a source needs of an informer. */
export interface SourceInformer<T extends KubeObject> {
  addHandler(handler: InformerHandler<T>): {
    /** Resolves when the handler is through with everything that was there at the start (true), or will never be. */
    synced(signal: AbortSignal): Promise<boolean>;
    remove(): Promise<void>;
  };
  /** What last interrupted listing or watching, unless something came from the server since. */
  readonly lastError?: unknown;
}

/** What a source needs of a cache: an `InformerCache` fits. */
export interface InformerProvider {
  getInformer<T extends KubeObject>(kind: Kind<T>): SourceInformer<T> | Promise<SourceInformer<T>>;
}

/** What becomes of the changes of a {@link kindSource}. */
export interface KindSourceOptions<T extends KubeObject, R = Request> {
  readonly handler: EventHandler<T, R>;
  /** All must pass, asked in order. Default: every event passes. */
  readonly predicates?: readonly Predicate<T>[];
  /** Whether this program brings the definition of the kind, if it has one with it: then it is described with the program. Default: not said. */
  readonly isDefinedHere?: boolean | undefined;
}

/**
 * Changes of all objects of a kind, as the cache sees them. It has synced when the informer has, and every object that was there
 * has been handled: objects whose handler fails, or takes longer than 10 seconds, are not waited for.
 *
 * @see controller-runtime pkg/source Kind
 */
export function kindSource<T extends KubeObject, R = Request>(
  cache: InformerProvider,
  kind: Kind<T>,
  options: KindSourceOptions<T, R>,
): Source<R> {
  if (!cache) throw new Error("must create a kind source with a cache");
  if (!kind?.kind) throw new Error("must create a kind source with a kind");
  if (!options?.handler) throw new Error("must create a kind source with a handler");
  const { handler, predicates = [], isDefinedHere } = options;
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
      const informer = await cache.getInformer(kind);
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
        if (!hasSynced) throw new NotSyncedError(`cache did not sync: ${groupKind}`, { cause: informer.lastError });
        await events.settled();
        context.synced();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      } finally {
        await registration.remove();
      }
    },
  };
}
