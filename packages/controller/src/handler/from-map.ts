import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { ObjectEvent } from "../object-event.ts";
import type { Request } from "../request.ts";
import type { EventHandler, HandlerContext } from "./event-handler.ts";

/** Which requests an object asks for. On an update it is asked for the old object, then for the new one. */
export type MapFunc<T extends KubeObject = KubeObject, R = Request> = (
  object: DeepReadonly<T>,
  context: HandlerContext & { readonly event: ObjectEvent<T> },
) => Iterable<R> | Promise<Iterable<R>>;

/**
 * What a function says is to be reconciled, each request once.
 *
 * @see controller-runtime pkg/handler EnqueueRequestsFromMapFunc
 */
export function enqueueRequestsFromMapFunc<T extends KubeObject = KubeObject, R = Request>(
  map: MapFunc<T, R>,
): EventHandler<T, R> {
  return async (event, enqueue, context) => {
    const mapContext = { ...context, event };
    const requests = new Set<R>();
    if (event.type === "update") for (const request of await map(event.old, mapContext)) requests.add(request);
    for (const request of await map(event.object, mapContext)) requests.add(request);
    for (const request of requests) enqueue(request);
  };
}
