import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { EventHandler } from "../handler/event-handler.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { Request } from "../reconcile/request.ts";
import { EventPipe } from "./event-pipe.ts";
import type { Source } from "./source.ts";
import { untilStopped } from "./until-stopped.ts";

/** What becomes of the objects of a {@link channelSource}. */
export interface ChannelSourceOptions<T extends KubeObject, R = Request> {
  readonly handler: EventHandler<T, R>;
  /** All must pass, asked in order. Default: every object passes. */
  readonly predicates?: readonly Predicate<T>[];
}

type Objects<T> = AsyncIterable<T | DeepReadonly<T>>;

/**
 * Objects that something outside of the cluster speaks of, as generic events, in order. The iteration is closed when the
 * controller stops; when it ends by itself the controller goes on. Where it waits for something that knows of signals, give the generator
 * function instead: it is called with the signal that aborts when the controller stops.
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
      if (signal.aborted) void iterator.return?.().catch(() => {}); // a closed iteration has no more to say
    },
  };
}
