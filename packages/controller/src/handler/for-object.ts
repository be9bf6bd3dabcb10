import { keyOf } from "@kubewright/apimachinery";
import type { EventHandler } from "./event-handler.ts";

/**
 * The object itself is to be reconciled.
 *
 * @see controller-runtime pkg/handler EnqueueRequestForObject
 */
export function enqueueRequestForObject(): EventHandler {
  const forObject: EventHandler = ({ object }, enqueue) => enqueue(keyOf(object));
  return forObject;
}
