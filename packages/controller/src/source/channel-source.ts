import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { EventHandler } from "../handler/event-handler.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { Request } from "../reconcile/request.ts";
import { EventPipe } from "./event-pipe.ts";
import type { Source } from "./source.ts";
import { untilStopped } from "./until-stopped.ts";

/** Handler and predicates of a {@link channelSource}. */
export interface ChannelSourceOptions<T extends KubeObject, R = Request> {
  readonly handler: EventHandler<T, R>;
  /** Predicates that must all accept an object, evaluated in order. Default: every object is accepted. */
  readonly predicates?: readonly Predicate<T>[];
}

type Objects<T> = AsyncIterable<T | DeepReadonly<T>>;

/**
 * Returns a source that delivers objects from outside of the cluster as generic events, in order. The iteration is closed when the
 * controller stops; if it ends by itself, the controller continues. If it waits for something that supports signals, pass the generator
 * function instead: it is called with a signal that aborts when the controller stops.
 *
 * @see controller-runtime pkg/source Channel
 */
export function channelSource<T extends KubeObject, R = Request>(
  objects: Objects<T> | ((signal: AbortSignal) => Objects<T>),
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
      if (!iterable?.[Symbol.asyncIterator]) throw new Error("must specify what the channel source iterates over");
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
