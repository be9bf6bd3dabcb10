import {
  type DeepReadonly,
  type GroupVersionKind,
  groupKindKey,
  isNoMatch,
  isObjectName,
  joinKey,
  type Kind,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  type RESTMapper,
  type Scope,
} from "@kubewright/apimachinery";
import { objectsOf } from "../event/event.ts";
import type { EventHandler } from "./event-handler.ts";

/**
 * Selects the owner references that count.
 *
 * @see controller-runtime pkg/handler OnlyControllerOwner
 */
export interface ForOwnerOptions {
  /** Counts only the managing controller, not every owner. Default false. */
  readonly onlyController?: boolean;
  /** Provides the scope of the owner's kind, if the kind has no `scope`. Default: the handler context's mapper. */
  readonly mapper?: RESTMapper | undefined;
}

/**
 * Returns a handler that queues the object's owners of one kind; for an update, old and new ones. The version in a reference may differ.
 * For a kind without a `scope`, the mapper is asked once; owners of a kind that is not served do not exist, so nothing is queued.
 * References with an invalid name are ignored: servers do not check the names in references.
 *
 * @throws {Error} if there is no owner kind; from the handler, if the kind has no `scope` and there is no mapper
 * @see controller-runtime pkg/handler EnqueueRequestForOwner
 */
export function enqueueRequestForOwner(ownerKind: Kind, options: ForOwnerOptions = {}): EventHandler {
  if (!ownerKind?.kind) throw new Error("enqueueRequestForOwner needs the kind of the owner");
  const { onlyController = false } = options;
  let scope = ownerKind.scope;
  const forOwner: EventHandler = (event, enqueue, context) => {
    const owners = objectsOf(event).flatMap((object) => ownersOf(object, ownerKind, onlyController));
    const enqueueAll = (known: Scope): void => {
      for (const key of new Set(owners.map((owner) => keyOf(owner, known)))) enqueue(key);
    };
    // Owners of a cluster-scoped object are cluster-scoped as well.
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

/** Returns the scope of a kind in any version, or `undefined` if the kind is not served. */
async function scopeOf({ group, kind }: Kind, mapper: RESTMapper): Promise<Scope | undefined> {
  try {
    return (await mapper.mappingFor({ group, kind })).scope;
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

const unknownScope = (kind: Kind): string =>
  `enqueueRequestForOwner cannot determine whether ${groupKindKey(kind)} is namespaced: set the kind's scope ("Namespaced" or "Cluster"), or ` +
  "pass a mapper to the handler or its controller";

/** An owner from a reference, and the namespace of the object that it owns. */
interface Owner {
  readonly name: string;
  readonly namespace: string | undefined;
}

const keyOf = ({ namespace, name }: Owner, scope: Scope): string =>
  joinKey(scope === "Cluster" ? undefined : namespace, name);

function ownersOf(object: DeepReadonly<KubeObject>, kind: Kind, onlyController: boolean): Owner[] {
  const { namespace, ownerReferences = [] } = object.metadata;
  return ownerReferences
    .filter((reference) => isOf(reference, kind) && (reference.controller === true || !onlyController))
    .filter(({ name }) => isObjectName(name))
    .map(({ name }) => ({ name, namespace: namespace || undefined }));
}

const isOf = (reference: DeepReadonly<OwnerReference>, kind: GroupVersionKind): boolean =>
  reference.kind === kind.kind && groupOf(reference.apiVersion) === kind.group;

const groupOf = (apiVersion: string): string | undefined => {
  try {
    return parseApiVersion(apiVersion).group;
  } catch {
    return undefined; // an invalid reference
  }
};
