import { keyOf } from "@kubewright/apimachinery";
import { objectsOf } from "../event/event.ts";
import type { EventHandler } from "./event-handler.ts";

/**
 * Returns a handler that queues the object itself: the new one of an update, or the old one if a source delivers no new one.
 *
 * @see controller-runtime pkg/handler EnqueueRequestForObject
 */
export function enqueueRequestForObject(): EventHandler {
  const forObject: EventHandler = (event, enqueue) => {
    const object = event.object ?? objectsOf(event)[0];
    if (object) enqueue(keyOf(object));
  };
  return forObject;
}
