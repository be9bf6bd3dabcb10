import {
  type DeepReadonly,
  type GroupVersionKind,
  joinKey,
  type Kind,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
} from "@kubewright/apimachinery";
import type { EventHandler } from "./event-handler.ts";

/**
 * Which references count as an owner's.
 *
 * @see controller-runtime pkg/handler OnlyControllerOwner
 */
export interface ForOwnerOptions {
  /** Only the managing controller counts, not every owner. Default false. */
  readonly onlyController?: boolean;
}

/**
 * The object's owners of one kind are to be reconciled; on an update, old and new ones. The version in a reference may differ.
 *
 * @throws {Error} if there is no owner kind
 * @see controller-runtime pkg/handler EnqueueRequestForOwner
 */
export function enqueueRequestForOwner(ownerKind: Kind, options: ForOwnerOptions = {}): EventHandler {
  if (!ownerKind?.kind) throw new Error("enqueueRequestForOwner needs the kind of the owner");
  const { onlyController = false } = options;
  const forOwner: EventHandler = (event, enqueue) => {
    const keys = new Set(ownersOf(event.object, ownerKind, onlyController));
    if (event.type === "update") for (const key of ownersOf(event.old, ownerKind, onlyController)) keys.add(key);
    for (const key of keys) enqueue(key);
  };
  return forOwner;
}

function ownersOf(object: DeepReadonly<KubeObject>, kind: Kind, onlyController: boolean): string[] {
  const namespace = kind.scope === "Cluster" ? undefined : object.metadata.namespace;
  return (object.metadata.ownerReferences ?? [])
    .filter((reference) => isOf(reference, kind) && (reference.controller === true || !onlyController))
    .map(({ name }) => joinKey(namespace, name));
}

const isOf = (reference: DeepReadonly<OwnerReference>, kind: GroupVersionKind): boolean =>
  reference.kind === kind.kind && groupOf(reference.apiVersion) === kind.group;

const groupOf = (apiVersion: string): string | undefined => {
  try {
    return parseApiVersion(apiVersion).group;
  } catch {
    return undefined; // a reference that nobody can follow
  }
};
