import {
  apiVersionOf,
  type DeepReadonly,
  type Kind,
  type KubeObject,
  type OwnerReference,
} from "@kubewright/apimachinery";

type Uid = string;
export type Reference = DeepReadonly<OwnerReference>;

/** An object, its owners and its dependents. */
export interface GraphNode {
  readonly uid: Uid;
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly owners: readonly Reference[];
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  /** True if a dependent refers to the object, but no informer has reported the object yet. */
  readonly isVirtual: boolean;
}

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** True if the object is being deleted, but its dependents must be deleted first. */
export const waitsForDependents = ({ isDeleting, finalizers }: GraphNode): boolean =>
  isDeleting && finalizers.includes(foregroundFinalizer);

/** True if the object is being deleted, but its dependents must be orphaned first. */
export const isOrphaning = ({ isDeleting, finalizers }: GraphNode): boolean =>
  isDeleting && finalizers.includes(orphanFinalizer);

/**
 * Reports whether one object may own another. Cluster-scoped objects may own any object; namespaced objects may own only objects in their
 * namespace.
 */
export const mayOwn = (owner: GraphNode, dependent: GraphNode): boolean =>
  owner.namespace === undefined || owner.namespace === dependent.namespace;

/** Returns a reference to the object, for use in events. */
export const referenceTo = ({ kind, namespace, name, uid }: GraphNode) => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, uid, ...(namespace === undefined ? {} : { namespace }) },
});

/** Returns the graph node for an object. */
export function nodeOf(kind: Kind, { metadata }: DeepReadonly<KubeObject>): GraphNode {
  return {
    uid: metadata.uid ?? "",
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    owners: metadata.ownerReferences ?? [],
    isDeleting: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers ?? [],
    isVirtual: false,
  };
}

/**
 * A graph of owners and dependents, keyed by UID.
 *
 * @see kubernetes pkg/controller/garbagecollector/graph.go
 */
export class OwnershipGraph {
  readonly #nodes = new Map<Uid, GraphNode>();
  readonly #dependents = new Map<Uid, Set<Uid>>();
  /** Deleted owners to which objects still refer. Their kind may also have been deleted, so the collector cannot query the server. */
  readonly #gone = new Set<Uid>();

  get(uid: Uid): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Adds or replaces a node and returns the previous one. */
  put(node: GraphNode): GraphNode | undefined {
    const before = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    this.#gone.delete(node.uid);
    for (const { uid } of before?.owners ?? []) this.#unlink(uid, node.uid);
    for (const { uid } of node.owners) this.#link(uid, node.uid);
    return before;
  }

  /** Removes a node and returns it. */
  remove(uid: Uid): GraphNode | undefined {
    const node = this.#nodes.get(uid);
    this.#nodes.delete(uid);
    if (node && !node.isVirtual && this.#dependents.has(uid)) this.#gone.add(uid);
    for (const { uid: owner } of node?.owners ?? []) this.#unlink(owner, uid);
    return node;
  }

  /** True if the object existed, but has been deleted. */
  isGone(uid: Uid): boolean {
    return this.#gone.has(uid);
  }

  dependentsOf(uid: Uid): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((each) => this.#nodes.get(each) ?? []);
  }

  /** Returns all known objects of a kind, in any version. */
  nodesOf({ group, kind }: Kind): readonly GraphNode[] {
    return [...this.#nodes.values()].filter(
      (node) => !node.isVirtual && node.kind.kind === kind && node.kind.group === group,
    );
  }

  /** Returns the dependents whose references block the owner's deletion. */
  blockingDependentsOf(uid: Uid): readonly GraphNode[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  #link(owner: Uid, dependent: Uid): void {
    const known = this.#dependents.get(owner);
    if (known) known.add(dependent);
    else this.#dependents.set(owner, new Set([dependent]));
  }

  #unlink(owner: Uid, dependent: Uid): void {
    const known = this.#dependents.get(owner);
    known?.delete(dependent);
    if (known?.size !== 0) return;
    this.#dependents.delete(owner);
    this.#gone.delete(owner);
  }
}
