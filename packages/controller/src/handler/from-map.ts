import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { isThenable, type ObjectEvent, objectsOf } from "../event/event.ts";
import type { Request } from "../reconcile/request.ts";
import type { EventHandler, HandlerContext } from "./event-handler.ts";

/** Returns the requests for an object. For an update it is called with the old object, then with the new one. */
export type MapFunc<T extends KubeObject = KubeObject, R = Request> = (
  object: DeepReadonly<T>,
  context: HandlerContext & { readonly event: ObjectEvent<T> },
) => Iterable<R> | Promise<Iterable<R>>;

/**
 * Returns a handler that queues the requests returned by a function, each once. If the function fails for one of an update's two objects,
 * its requests for the other are queued nevertheless.
 *
 * @see controller-runtime pkg/handler EnqueueRequestsFromMapFunc
 */
export function enqueueRequestsFromMapFunc<T extends KubeObject = KubeObject, R = Request>(
  map: MapFunc<T, R>,
): EventHandler<T, R> {
  const handler: EventHandler<T, R> = (event, enqueue, context) => {
    const mapContext = { ...context, event };
    const requests = new Set<R>();
    let failed: { readonly error: unknown } | undefined;
    const take = (answer: Iterable<R>): void => {
      for (const request of answer) requests.add(request);
    };
    const fail = (error: unknown): void => {
      failed ??= { error };
    };
    /** Returns a promise only if the function does. Neither throws nor rejects. */
    const ask = (object: DeepReadonly<T>): Promise<void> | undefined => {
      try {
        const answer = map(object, mapContext);
        if (isThenable(answer)) return Promise.resolve(answer).then(take).catch(fail);
        take(answer);
      } catch (error) {
        fail(error);
      }
      return undefined;
    };
    const finish = (): void => {
      for (const request of requests) enqueue(request);
      if (failed) throw failed.error;
    };
    let asked: Promise<void> | undefined;
    for (const object of objectsOf(event).reverse()) asked = asked ? asked.then(() => ask(object)) : ask(object);
    return asked ? asked.then(finish) : finish();
  };
  return Object.defineProperty(handler, "name", { value: `enqueueRequestsFromMapFunc(${map.name || "anonymous"})` });
}
