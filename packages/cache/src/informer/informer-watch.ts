import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import type { ChangeEvent, ListerWatcher } from "../source/lister-watcher.ts";
import { SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";

/** An informer whose changes can be read like the events of a watch. */
export interface InformerWatch<T extends KubeObject> {
  readonly informer: SharedInformer<T>;
  /** Every change in order, kept until it is read. Can be iterated only once. */
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
  return {
    informer,
    events: events(),
    async stop() {
      stop.abort();
      await running;
    },
  };
}
