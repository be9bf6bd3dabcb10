import { initialEventsEndAnnotation } from "@kubewright/client";
import type { ChangeEvent } from "../source/lister-watcher.ts";
import { metaIfAny, metaNamespaceKeyOf, versionOf } from "../store/object-meta.ts";
import type { WatchStream } from "./watch-stream.ts";

/** The state that the initial events of a stream produce. */
export interface InitialState<O> {
  readonly objects: readonly O[];
  readonly resourceVersion: string;
}

/**
 * Reads the initial events of a stream, up to the bookmark that ends them. Later events stay in the stream. Changes made in the meantime
 * are merged into the state.
 *
 * @param accepts returns true for objects to take
 * @returns `undefined` if the stream ended first
 * @throws any error of the stream
 */
export async function initialStateOf<O>(
  stream: WatchStream<O>,
  accepts: (object: O) => boolean,
): Promise<InitialState<O> | undefined> {
  const objects = new Map<string, O>();
  for (let batch = await stream.next(); batch; batch = await stream.next()) {
    for (const [index, event] of batch.entries()) {
      if (event.type !== "BOOKMARK") {
        if (accepts(event.object)) fold(event, objects);
      } else if (metaIfAny(event.object)?.annotations?.[initialEventsEndAnnotation] === "true") {
        stream.unread(batch.slice(index + 1));
        return { objects: [...objects.values()], resourceVersion: versionOf(event.object) };
      }
    }
  }
  return undefined;
}

function fold<O>(event: ChangeEvent<O>, objects: Map<string, O>): void {
  const key = metaNamespaceKeyOf(event.object);
  if (event.type === "DELETED") objects.delete(key);
  else objects.set(key, event.object);
}
