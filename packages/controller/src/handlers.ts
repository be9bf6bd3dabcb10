import {
  type DeepReadonly,
  type GroupVersionKind,
  groupKindKey,
  isNoMatch,
  isObjectName,
  joinKey,
  type Kind,
  type KubeObject,
  keyOf,
  type OwnerReference,
  parseApiVersion,
  type RESTMapper,
  type Scope,
} from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import { isThenable, type ObjectEvent, objectsOf } from "./event.ts";
import type { Request } from "./request.ts";

/**
 * Options for queuing a request: its priority and delay.
 *
 * @see controller-runtime pkg/controller/priorityqueue AddOpts
 */
export interface EnqueueOptions {
  /**
   * Priority of the request; requests with a higher priority come first. Default 0, or {@link lowPriority} for resyncs and objects that
   * existed at the start.
   */
  readonly priority?: number | undefined;
  /** Minimum delay in milliseconds. Default 0. */
  readonly afterMs?: number | undefined;
}

/**
 * Priority of requests that were not caused by a change. They are reconciled only when no other requests are waiting.
 */
export const lowPriority = -100;

/**
 * Queues a request for reconciling and records the event as one of its causes. A request that is queued several times before it is
 * reconciled is reconciled once.
 */
export type Enqueue<R = Request> = (request: R, options?: EnqueueOptions) => void;

/** Context for a handler call. `signal` aborts when the controller stops. */
export interface HandlerContext {
  /** Client that reads from the cache. */
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Resources and scopes of kinds. Absent if the controller has no mapper. */
  readonly mapper?: RESTMapper | undefined;
}

/**
 * Queues the requests for an event. A source's events are handled one by one, in order.
 *
 * A failed or slow event does not block the others. If a handler throws or rejects, a warning that identifies the event
 * is logged, and the event is retried a few times: after a delay, or right before the next event for the same object.
 * If a handler takes longer than a second, the next events are handled in the meantime.
 *
 * @see controller-runtime pkg/handler EventHandler
 */
export type EventHandler<T extends KubeObject = KubeObject, R = Request> = (
  event: ObjectEvent<T>,
  enqueue: Enqueue<R>,
  context: HandlerContext,
) => void | Promise<void>;

/**
 * Returns a handler that queues the event's object. For an update, it queues the new object, or the old one if the new
 * one is missing.
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

/**
 * Options that determine which owner references are considered.
 *
 * @see controller-runtime pkg/handler OnlyControllerOwner
 */
export interface ForOwnerOptions {
  /** True to count only the managing controller instead of every owner. Default false. */
  readonly onlyController?: boolean | undefined;
  /** Provides the scope of the owner's kind if the kind has no `scope`. Default: the handler context's mapper. */
  readonly mapper?: RESTMapper | undefined;
}

/**
 * Returns a handler that queues those owners of an object that have the given kind. For an update, it queues both the
 * old and the new owners. The API version in a reference may differ. If the kind has no `scope`, the handler looks it
 * up in the mapper once. If the API server does not serve the kind, nothing is queued because its objects cannot exist.
 * Ignores references with invalid names, because API servers do not validate them.
 *
 * @throws {Error} if the owner kind is missing; thrown by the handler if the kind has no `scope` and there is no mapper
 * @see controller-runtime pkg/handler EnqueueRequestForOwner
 */
export function enqueueRequestForOwner(ownerKind: Kind, options: ForOwnerOptions = {}): EventHandler {
  if (!ownerKind?.kind) throw new Error("enqueueRequestForOwner requires the owner's kind");
  const { onlyController = false } = options;
  let scope = ownerKind.scope;
  const forOwner: EventHandler = (event, enqueue, context) => {
    const owners = objectsOf(event).flatMap((object) => ownersOf(object, ownerKind, onlyController));
    const enqueueAll = (known: Scope): void => {
      for (const key of new Set(owners.map((owner) => keyOfOwner(owner, known)))) enqueue(key);
    };
    // A cluster-scoped object can only have cluster-scoped owners.
    const known = scope ?? (owners.every(({ namespace }) => namespace === undefined) ? "Cluster" : undefined);
    if (known) return enqueueAll(known);
    const mapper = options.mapper ?? context.mapper;
    if (!mapper) throw new Error(unknownScope(ownerKind));
    return scopeOf(ownerKind, mapper).then((answer) => {
      scope = answer;
      if (answer) enqueueAll(answer);
    });
  };
  return forOwner;
}

/** Maps an object to requests. For an update, it is called with the old object and then with the new one. */
export type MapFunc<T extends KubeObject = KubeObject, R = Request> = (
  object: DeepReadonly<T>,
  context: HandlerContext & { readonly event: ObjectEvent<T> },
) => Iterable<R> | Promise<Iterable<R>>;

/**
 * Returns a handler that queues the requests that a function returns, without duplicates. If the function fails for the
 * old or the new object of an update, the requests for the other one are still queued.
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
    /** Calls `map` for an object. Returns a promise only if `map` does. Neither throws nor rejects. */
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

/** Returns a kind's scope in any version, or `undefined` if the kind is not served. */
async function scopeOf({ group, kind }: Kind, mapper: RESTMapper): Promise<Scope | undefined> {
  try {
    return (await mapper.mappingFor({ group, kind })).scope;
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

const unknownScope = (kind: Kind): string =>
  `enqueueRequestForOwner cannot determine whether ${groupKindKey(kind)} is namespaced; set the kind's scope ("Namespaced" or "Cluster"), or ` +
  "pass a mapper to the handler or its controller";

/** An owner from a reference, with the namespace of the owned object. */
interface Owner {
  readonly name: string;
  readonly namespace: string | undefined;
}

const keyOfOwner = ({ namespace, name }: Owner, scope: Scope): string =>
  joinKey(scope === "Cluster" ? undefined : namespace, name);

function ownersOf(object: DeepReadonly<KubeObject>, kind: Kind, onlyController: boolean): Owner[] {
  const { namespace, ownerReferences = [] } = object.metadata;
  return ownerReferences
    .filter((reference) => refersTo(reference, kind) && (reference.controller === true || !onlyController))
    .filter(({ name }) => isObjectName(name))
    .map(({ name }) => ({ name, namespace: namespace || undefined }));
}

const refersTo = (reference: DeepReadonly<OwnerReference>, kind: GroupVersionKind): boolean =>
  reference.kind === kind.kind && groupOf(reference.apiVersion) === kind.group;

const groupOf = (apiVersion: string): string | undefined => {
  try {
    return parseApiVersion(apiVersion).group;
  } catch {
    return undefined; // the reference is invalid
  }
};
