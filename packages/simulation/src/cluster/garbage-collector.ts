import type { VirtualTime, VirtualTimer } from "../time/virtual-time.ts";
import { type Actor, currentActor } from "../time/virtual-time.ts";
import type { Answer, ClusterObject, TouchedResource } from "./cluster-object.ts";

/** The part of a cluster that the garbage collector uses. */
export interface CollectedCluster {
  readonly time: Pick<VirtualTime, "after">;
  readonly touched: readonly TouchedResource[];
  objects(): Promise<ClusterObject[]>;
  pathOf(object: ClusterObject): string | undefined;
  request(
    method: string,
    path: string,
    body?: object,
    options?: { readonly contentType?: string; readonly by?: Actor },
  ): Promise<Answer>;
}

const delayMs = 1_000;
/**
 * Finalizers that a cluster removes when a volume is no longer in use. No pods run here, so volumes are never in use.
 */
const protections = ["kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"];

/**
 * Deletes the dependents of deleted owners and the contents of deleted namespaces, like the controllers in a real
 * cluster. Runs only after a deletion, and examines only kinds in the simulated world.
 */
export class GarbageCollector {
  readonly #cluster: CollectedCluster;
  readonly #actor: Actor;
  #timer: VirtualTimer | undefined;

  constructor(cluster: CollectedCluster, actor: Actor) {
    this.#cluster = cluster;
    this.#actor = actor;
  }

  /** Must be called after an object has been deleted or marked for deletion. */
  wake(): void {
    this.#timer ??= this.#cluster.time.after(delayMs, this.#actor, () => {
      this.#timer = undefined;
      void currentActor.run(this.#actor, () => this.#sweep());
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#actor.isDead = true;
  }

  async #sweep(): Promise<void> {
    const objects = await this.#cluster.objects();
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    const kinds = new Set(objects.map(({ kind }) => kind));
    for (const { resource } of this.#cluster.touched) kinds.add(resource);
    const exists = (owner: { readonly uid: string }): boolean => uids.has(owner.uid);
    for (const object of objects) {
      const { ownerReferences: owners = [], deletionTimestamp, finalizers = [], namespace } = object.metadata;
      const home = objects.find(({ kind, metadata }) => kind === "Namespace" && metadata.name === namespace);
      const isHomeless = home?.metadata.deletionTimestamp !== undefined;
      if (deletionTimestamp === undefined) {
        if (isHomeless || (owners.length > 0 && !owners.some(exists))) await this.#delete(object);
        continue;
      }
      const dependents = objects.filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid),
      );
      if (finalizers.includes("orphan")) {
        for (const dependent of dependents) await this.#disown(dependent, object);
        await this.#finish(object, "orphan");
      } else if (finalizers.includes("foregroundDeletion")) {
        if (dependents.length === 0) await this.#finish(object, "foregroundDeletion");
        else for (const dependent of dependents) await this.#delete(dependent);
      }
      for (const finalizer of protections) if (finalizers.includes(finalizer)) await this.#finish(object, finalizer);
      if (object.kind !== "Namespace") continue;
      const name = object.metadata.name;
      if (objects.some(({ metadata }) => metadata.namespace === name)) this.wake();
      else await this.#request("PUT", `/api/v1/namespaces/${name}/finalize`, { ...object, spec: { finalizers: [] } });
    }
  }

  async #delete(object: ClusterObject): Promise<void> {
    const { deletionTimestamp, uid } = object.metadata;
    if (deletionTimestamp !== undefined) return;
    await this.#request("DELETE", this.#cluster.pathOf(object), {
      preconditions: { uid },
      propagationPolicy: "Background",
    });
  }

  async #disown(dependent: ClusterObject, owner: ClusterObject): Promise<void> {
    const { uid, resourceVersion, ownerReferences = [] } = dependent.metadata;
    const rest = ownerReferences.filter((each) => each.uid !== owner.metadata.uid);
    await this.#patch(dependent, { uid, resourceVersion, ownerReferences: rest });
  }

  async #finish(object: ClusterObject, finalizer: string): Promise<void> {
    const { uid, resourceVersion, finalizers = [] } = object.metadata;
    await this.#patch(object, { uid, resourceVersion, finalizers: finalizers.filter((each) => each !== finalizer) });
  }

  async #patch(object: ClusterObject, metadata: object): Promise<void> {
    await this.#request("PATCH", this.#cluster.pathOf(object), { metadata }, "application/merge-patch+json");
  }

  /** Sends a request. If it fails, the next sweep repeats it. */
  async #request(method: string, path: string | undefined, body: object, contentType?: string): Promise<void> {
    if (path === undefined) return;
    const { status } = await this.#cluster.request(method, path, body, {
      by: this.#actor,
      ...(contentType ? { contentType } : {}),
    });
    // Such as 500: a webhook of the program does not answer.
    if (status < 300 || status === 409 || status >= 500) this.wake();
  }
}
