import {
  type DeepReadonly,
  ignoreNotFound,
  isConflict,
  isNoMatch,
  isObjectName,
  type Kind,
  type KubeObject,
  keyOf,
  unstructured,
} from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import { exponentialFailure, RateLimitingQueue } from "@kubewright/workqueue";
import { AbsentOwners } from "./absent-owners.ts";
import {
  foregroundFinalizer,
  type GraphNode,
  isOrphaning,
  mayOwn,
  nodeOf,
  OwnershipGraph,
  orphanFinalizer,
  type Reference,
  referenceTo,
  waitsForDependents,
} from "./graph.ts";

export interface CollectorOptions {
  /**
   * Client that reads from the API server instead of a cache. The collector decides on deletions only with current
   * data.
   */
  readonly live: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Number of workers. Default 8. */
  readonly workers?: number | undefined;
}

/** Error for a cluster-scoped object that refers to a namespaced owner. The collector does not change or delete such an object. */
class NamespacedOwnerError extends Error {
  override readonly name = "NamespacedOwnerError";

  constructor(owner: string) {
    super(`cluster-scoped objects cannot refer to namespaced owners: ${owner}`);
  }
}

type Owners = Readonly<Record<"solid" | "dangling" | "waiting", readonly Reference[]>>;

/**
 * Deletes objects whose owners no longer exist, following the propagation policy with which the owner was deleted:
 * background, foreground (dependents first), or orphan (dependents remain).
 *
 * Call {@link observe} or {@link forget} for every change to an object. Objects are deleted only while {@link run} is
 * running.
 *
 * @see kubernetes pkg/controller/garbagecollector/garbagecollector.go
 */
export class Collector {
  readonly #live: Client;
  readonly #recorder: EventRecorder;
  readonly #log: Logger;
  readonly #workers: number;
  readonly #graph = new OwnershipGraph();
  readonly #queue: RateLimitingQueue<string>;
  readonly #absent = new AbsentOwners();

  constructor({ live, recorder, clock, log, workers = 8 }: CollectorOptions) {
    this.#live = live;
    this.#recorder = recorder;
    this.#log = log;
    this.#workers = workers;
    this.#queue = new RateLimitingQueue<string>({
      clock,
      rateLimiter: exponentialFailure({ baseMs: 5, maxMs: 30_000 }),
    });
  }

  /** Records a new or changed object. */
  observe(kind: Kind, object: DeepReadonly<KubeObject>): void {
    const node = nodeOf(kind, object);
    const before = this.#graph.put(node);
    for (const owner of node.owners) this.#expectOwner(owner, node);
    if (!before || before.isVirtual)
      for (const each of this.#graph.dependentsOf(node.uid)) this.#checkNamespace(node, each);
    const freed = before?.owners.filter(({ uid }) => !node.owners.some((owner) => owner.uid === uid)) ?? [];
    for (const { uid } of freed) this.#queue.add(uid);
    if (waitsForDependents(node)) for (const { uid } of this.#graph.dependentsOf(node.uid)) this.#queue.add(uid);
    if (node.isDeleting || node.owners.length > 0) this.#queue.add(node.uid);
  }

  /** Records a deleted object. */
  forget(uid: string): void {
    const node = this.#graph.remove(uid);
    if (node) this.#spread(node);
  }

  /** Records that a kind and all its objects were deleted. */
  forgetKind(kind: Kind): void {
    for (const { uid } of this.#graph.nodesOf(kind)) this.forget(uid);
  }

  async run(signal: AbortSignal): Promise<void> {
    const work = async (): Promise<void> => {
      for await (const uid of this.#queue.items(signal)) await this.#attempt(uid).finally(() => this.#queue.done(uid));
    };
    await Promise.all(Array.from({ length: this.#workers }, work));
    this.#queue.shutDown();
  }

  /** Enqueues a check of whether an owner exists, if no informer has reported it. */
  #expectOwner(owner: Reference, dependent: GraphNode): void {
    const known = this.#graph.get(owner.uid);
    if (known) {
      this.#checkNamespace(known, dependent);
      return;
    }
    if (this.#graph.isGone(owner.uid)) return;
    const { apiVersion, kind, name, uid } = owner;
    this.#graph.put({
      uid,
      kind: unstructured({ apiVersion, kind }),
      namespace: dependent.namespace,
      name,
      owners: [],
      isDeleting: false,
      finalizers: [],
      isVirtual: true,
    });
    this.#queue.add(uid);
  }

  /**
   * Checks that an owner is in its dependent's namespace. An owner in another namespace is ignored: the method emits an event about the
   * dependent and enqueues it.
   */
  #checkNamespace(owner: GraphNode, dependent: GraphNode): void {
    if (owner.isVirtual || mayOwn(owner, dependent)) return;
    const reference = dependent.owners.find(({ uid }) => uid === owner.uid);
    if (!reference) return;
    const { apiVersion, kind, name, uid } = reference;
    const namespace = dependent.namespace ?? "";
    const where = namespace === "" ? "" : ` namespace: ${namespace},`;
    this.#recorder.event(referenceTo(dependent), {
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      note: `ownerRef [${apiVersion}/${kind},${where} name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
    });
    this.#queue.add(dependent.uid);
  }

  /** Enqueues the nodes that may be affected when a node disappears. */
  #spread(node: GraphNode): void {
    for (const { uid } of this.#graph.dependentsOf(node.uid)) this.#queue.add(uid);
    for (const { uid } of node.owners) this.#queue.add(uid);
  }

  async #attempt(uid: string): Promise<void> {
    const node = this.#graph.get(uid);
    if (!node) return;
    try {
      await this.#process(node);
      this.#queue.forget(uid);
    } catch (err) {
      if (err instanceof NamespacedOwnerError) return this.#queue.forget(uid);
      const { kind, namespace, name } = node;
      const level = isNoMatch(err) || isConflict(err) ? "debug" : "info";
      this.#log[level]({ err, kind: kind.kind, namespace, name }, "cannot collect an object; retrying");
      this.#queue.addRateLimited(uid);
    }
  }

  async #process(node: GraphNode): Promise<void> {
    if (node.isDeleting && !waitsForDependents(node) && !isOrphaning(node)) return;
    const object = await this.#read(node.kind, node.namespace, node.name);
    if (!object || object.metadata.uid !== node.uid) {
      const gone = this.#graph.remove(node.uid);
      if (gone) this.#spread(gone);
      return;
    }
    if (node.isVirtual) return; // the owner exists, so its informer will report it
    const present = nodeOf(node.kind, object);
    if (isOrphaning(present)) return this.#orphanDependents(present, object);
    if (waitsForDependents(present)) return this.#finishForeground(present, object);
    if (!present.isDeleting && present.owners.length > 0) await this.#judge(present, object);
  }

  async #judge(node: GraphNode, object: DeepReadonly<KubeObject>): Promise<void> {
    const { solid, dangling, waiting } = await this.#classify(node);
    if (solid.length > 0) {
      if (dangling.length + waiting.length === 0) return;
      await this.#keepOwners(node, object, solid);
      return;
    }
    const dependents = this.#graph.dependentsOf(node.uid);
    const isForeground = waiting.length > 0 && dependents.length > 0;
    if (isForeground && dependents.some(waitsForDependents)) await this.#unblockOwners(node, object);
    const asked = node.finalizers.includes(orphanFinalizer)
      ? "Orphan"
      : node.finalizers.includes(foregroundFinalizer)
        ? "Foreground"
        : "Background";
    await this.#live
      .delete(node.kind, node, {
        propagationPolicy: isForeground ? "Foreground" : asked,
        preconditions: { uid: node.uid, resourceVersion: object.metadata.resourceVersion },
      })
      .catch(ignoreNotFound);
  }

  async #classify(node: GraphNode): Promise<Owners> {
    const owners = { solid: [] as Reference[], dangling: [] as Reference[], waiting: [] as Reference[] };
    for (const reference of node.owners) {
      const known = this.#graph.get(reference.uid);
      const isKnown = known && !known.isVirtual && mayOwn(known, node);
      const owner = isKnown ? known : await this.#find(reference, node.namespace);
      owners[owner ? (waitsForDependents(owner) ? "waiting" : "solid") : "dangling"].push(reference);
    }
    return owners;
  }

  async #find(
    { apiVersion, kind, name, uid }: Reference,
    namespace: string | undefined,
  ): Promise<GraphNode | undefined> {
    if (this.#graph.isGone(uid) || this.#absent.has(uid, namespace)) return undefined;
    const ownerKind = unstructured({ apiVersion, kind });
    const object = await this.#read(ownerKind, namespace, name);
    if (object?.metadata.uid === uid) return nodeOf(ownerKind, object);
    this.#absent.add(uid, namespace);
    return undefined;
  }

  /**
   * Removes `blockOwnerDeletion` from a dependent's owner references, so that owners that wait for each other in a cycle can be deleted.
   */
  async #unblockOwners(node: GraphNode, object: DeepReadonly<KubeObject>): Promise<void> {
    const ownerReferences = node.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    await this.#live.patch(node.kind, keyOf(object), {
      metadata: { uid: node.uid, ownerReferences },
    });
  }

  /**
   * Reads an object from the API server. Returns `undefined` for an invalid name, because servers do not validate the names in owner
   * references.
   */
  async #read(kind: Kind, namespace: string | undefined, name: string): Promise<KubeObject | undefined> {
    if (!isObjectName(name)) return undefined;
    const { scope } = kind.scope ? { scope: kind.scope } : await this.#live.mapper.mappingFor(kind);
    if (scope === "Namespaced" && namespace === undefined) throw new NamespacedOwnerError(name);
    return this.#live
      .get(kind, { namespace: scope === "Namespaced" ? namespace : undefined, name })
      .catch(ignoreNotFound);
  }

  async #keepOwners(node: GraphNode, object: DeepReadonly<KubeObject>, owners: readonly Reference[]): Promise<void> {
    const ownerReferences = owners.length > 0 ? owners : null;
    await this.#live
      .patch(node.kind, object, { metadata: { ownerReferences } }, { optimisticLock: true })
      .catch(ignoreNotFound);
  }

  async #orphanDependents(node: GraphNode, object: DeepReadonly<KubeObject>): Promise<void> {
    const orphan = async (dependent: GraphNode): Promise<void> => {
      const present = await this.#read(dependent.kind, dependent.namespace, dependent.name);
      if (!present || present.metadata.uid !== dependent.uid) return;
      const others = (present.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== node.uid);
      await this.#keepOwners(dependent, present, others);
    };
    await Promise.all(this.#graph.dependentsOf(node.uid).map(orphan));
    await this.#removeFinalizer(node, object, orphanFinalizer);
  }

  async #finishForeground(node: GraphNode, object: DeepReadonly<KubeObject>): Promise<void> {
    const blocking = this.#graph.blockingDependentsOf(node.uid);
    if (blocking.length === 0) return this.#removeFinalizer(node, object, foregroundFinalizer);
    for (const { uid, isDeleting } of blocking) if (!isDeleting) this.#queue.add(uid);
  }

  async #removeFinalizer(node: GraphNode, object: DeepReadonly<KubeObject>, finalizer: string): Promise<void> {
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    await this.#live
      .patch(node.kind, object, { metadata: { finalizers } }, { optimisticLock: true })
      .catch(ignoreNotFound);
  }
}
