import { isDeepStrictEqual } from "node:util";
import {
  type DeepReadonly,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  keyOf,
  labelSelectorFrom,
} from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { ReconcileContext, Reconciler } from "@kubewright/controller";
import { claim } from "../workload/claim.ts";
import { ignoreGone, isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { podTemplateHashLabel, sameTemplate, templateHash } from "../workload/template-hash.ts";
import { deploymentStatus } from "./deployment-status.ts";
import { emitScaled } from "./emit-scaled.ts";
import { byAge, hasReplicas, sizeOf } from "./replica-set-size.ts";
import { desiredReplicasAnnotation, replicaSetAnnotations, revisionAnnotation, revisionOf } from "./revision.ts";
import { proportionalScaling, rollingStep, rolloutBounds, type Scaling } from "./rolling-update.ts";

type Sets = readonly DeepReadonly<ReplicaSet>[];

/**
 * Returns a reconciler for Deployments. It maintains a replica set for the current pod template, and moves replicas to
 * this set, taking one bounded step per reconcile.
 *
 * @see kubernetes pkg/controller/deployment
 */
export function deploymentReconciler(clock: Clock): Reconciler {
  return async (key, context) => {
    const deployment = await context.client.get(Deployment, key).catch(ignoreNotFound);
    if (!deployment) return undefined;
    try {
      return await new Rollout(deployment, context, clock).step();
    } catch (error) {
      // The cache was stale, or another writer was faster, so the request is enqueued again.
      if (isConflict(error)) return { requeue: true };
      if (isNamespaceTerminating(error)) return undefined;
      return ignoreNotFound(error); // deleted in the meantime
    }
  };
}

class Rollout {
  readonly #deployment: DeepReadonly<Deployment>;
  readonly #client: ReadWriter;
  readonly #recorder: ReconcileContext["recorder"];
  readonly #clock: Clock;
  readonly #wanted: number;

  constructor(deployment: DeepReadonly<Deployment>, context: ReconcileContext, clock: Clock) {
    this.#deployment = deployment;
    this.#client = context.client;
    this.#recorder = context.recorder;
    this.#clock = clock;
    this.#wanted = deployment.spec.replicas ?? 1;
  }

  async step(): Promise<{ requeueAfterMs: number } | undefined> {
    const sets = await this.#replicaSets();
    const fresh = this.#freshOf(sets);
    if (this.#deployment.metadata.deletionTimestamp !== undefined) {
      await this.#writeStatus(fresh, sets);
      return undefined;
    }
    const old = sets.filter((set) => set !== fresh);
    if (this.#isResized(sets)) await this.#resize(fresh, old);
    else if (!this.#deployment.spec.paused) await this.#rollOut(fresh, old);
    else if (sets.length > 0) await this.#resize(fresh, old);
    const after = await this.#replicaSets();
    await this.#writeStatus(this.#freshOf(after), after);
    await this.#dropHistory(this.#freshOf(after), after);
    return this.#untilDeadline();
  }

  async #replicaSets(): Promise<Sets> {
    const { namespace } = this.#deployment.metadata;
    const selector = labelSelectorFrom(this.#deployment.spec.selector);
    const candidates = await this.#client.list(ReplicaSet, { namespace });
    return claim(this.#client, ReplicaSet, { kind: Deployment, object: this.#deployment, selector }, candidates);
  }

  /** Returns the replica set for the current template. If there are several, returns the oldest of them. */
  #freshOf(sets: Sets): DeepReadonly<ReplicaSet> | undefined {
    return sets
      .toSorted(byAge)
      .find(({ spec }) => spec.template && sameTemplate(spec.template, this.#deployment.spec.template));
  }

  /** True if `spec.replicas` has changed since the replica sets were last sized. */
  #isResized(sets: Sets): boolean {
    return sets.some(({ spec, metadata }) => {
      const desired = metadata.annotations?.[desiredReplicasAnnotation];
      return (spec.replicas ?? 0) > 0 && desired !== undefined && desired !== String(this.#wanted);
    });
  }

  async #resize(fresh: DeepReadonly<ReplicaSet> | undefined, old: Sets): Promise<void> {
    const active = [...(fresh ? [fresh] : []), ...old].filter(({ spec }) => (spec.replicas ?? 0) > 0);
    const [only] = active;
    if (active.length <= 1) {
      const target = only ?? fresh;
      if (target) await this.#scale(new Map([[target.metadata.name, this.#wanted]]), [target]);
      return;
    }
    if (fresh && fresh.status?.availableReplicas === this.#wanted && fresh.spec.replicas === this.#wanted)
      return this.#scale(new Map(old.map(({ metadata }) => [metadata.name, 0])), old);
    if (this.#isRecreate) return;
    const allowed = this.#wanted === 0 ? 0 : this.#wanted + this.#bounds.maxSurge;
    await this.#scale(proportionalScaling(allowed, active.map(sizeOf)), active);
  }

  async #rollOut(present: DeepReadonly<ReplicaSet> | undefined, old: Sets): Promise<void> {
    if (this.#isRecreate) return this.#recreate(present, old);
    const fresh = present ?? (await this.#createReplicaSet(old, this.#initialSize(old)));
    if (!fresh) return;
    await this.#annotate(fresh, old);
    const scaling = rollingStep(this.#wanted, this.#bounds, sizeOf(fresh), old.filter(hasReplicas).map(sizeOf));
    await this.#scale(scaling, [fresh, ...old]);
  }

  async #recreate(present: DeepReadonly<ReplicaSet> | undefined, old: Sets): Promise<void> {
    const running = old.filter(hasReplicas);
    if (running.length > 0) return this.#scale(new Map(running.map(({ metadata }) => [metadata.name, 0])), running);
    if (!present && (await this.#hasOldPods(old))) return;
    const fresh = present ?? (await this.#createReplicaSet(old, this.#wanted));
    if (!fresh) return;
    await this.#annotate(fresh, old);
    await this.#scale(new Map([[fresh.metadata.name, this.#wanted]]), [fresh]);
  }

  async #hasOldPods(old: Sets): Promise<boolean> {
    const uids = new Set(old.map(({ metadata }) => metadata.uid));
    const pods = await this.#client.list(Pod, { namespace: this.#deployment.metadata.namespace });
    return pods.some(
      ({ metadata, status }) =>
        status?.phase !== "Succeeded" &&
        status?.phase !== "Failed" &&
        metadata.ownerReferences?.some(({ controller, uid }) => controller && uids.has(uid)),
    );
  }

  #initialSize(old: Sets): number {
    const existing = old.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
    return Math.min(this.#wanted, Math.max(0, this.#wanted + this.#bounds.maxSurge - existing));
  }

  async #createReplicaSet(old: Sets, replicas: number): Promise<DeepReadonly<ReplicaSet> | undefined> {
    const { metadata, spec, status } = this.#deployment;
    const collisions = status?.collisionCount ?? 0;
    const hash = templateHash(spec.template, collisions);
    const labels = { ...spec.template.metadata?.labels, [podTemplateHashLabel]: hash };
    const name = `${metadata.name}-${hash}`;
    const template = { ...spec.template, metadata: { ...spec.template.metadata, labels } };
    try {
      const created = await this.#client.create(ReplicaSet, {
        metadata: {
          name,
          ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
          labels,
          annotations: this.#annotations(old, undefined),
          ownerReferences: [
            {
              apiVersion: "apps/v1",
              kind: "Deployment",
              name: metadata.name,
              uid: metadata.uid ?? "",
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        spec: {
          replicas,
          selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [podTemplateHashLabel]: hash } },
          template,
          ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
        },
      });
      if (replicas > 0) emitScaled(this.#recorder, this.#deployment, name, 0, replicas);
      return created;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#resolveCollision(`${metadata.namespace}/${name}`, collisions);
    }
  }

  /**
   * Handles the error that a new replica set's name is already in use: either by this deployment's own replica set, which the cache does
   * not contain yet, or by a replica set for a different template.
   */
  async #resolveCollision(key: string, collisions: number): Promise<undefined> {
    const occupant = await this.#client.get(ReplicaSet, key).catch(ignoreNotFound);
    const isOurs = occupant?.metadata.ownerReferences?.some(({ uid }) => uid === this.#deployment.metadata.uid);
    if (
      !occupant ||
      (isOurs && occupant.spec.template && sameTemplate(occupant.spec.template, this.#deployment.spec.template))
    )
      return undefined;
    await this.#client.status.patch(Deployment, keyOf(this.#deployment), { collisionCount: collisions + 1 });
    return undefined;
  }

  #annotations(old: Sets, fresh: DeepReadonly<ReplicaSet> | undefined): Record<string, string> {
    const highest = old.map(revisionOf).toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
    const own = fresh ? revisionOf(fresh) : 0n;
    const revision = own > highest ? own : highest + 1n;
    const max = this.#isRecreate ? this.#wanted : this.#wanted + this.#bounds.maxSurge;
    return replicaSetAnnotations(
      this.#deployment,
      revision,
      { desired: this.#wanted, max },
      fresh?.metadata.annotations,
    );
  }

  /** Writes the revision and sizes to the current replica set's annotations, and the revision to the deployment's annotations. */
  async #annotate(fresh: DeepReadonly<ReplicaSet>, old: Sets): Promise<void> {
    const annotations = this.#annotations(old, fresh);
    if (!isDeepStrictEqual({ ...fresh.metadata.annotations }, annotations))
      await this.#client.patch(ReplicaSet, keyOf(fresh), { metadata: { annotations } });
    const revision = annotations[revisionAnnotation] ?? "1";
    if (this.#deployment.metadata.annotations?.[revisionAnnotation] === revision) return;
    const { metadata } = this.#deployment;
    const annotated = { ...metadata, annotations: { ...metadata.annotations, [revisionAnnotation]: revision } };
    // The annotations are written together with the status, because a separate write would increase the generation.
    const next = { ...this.#deployment, metadata: annotated } as DeepReadonly<Deployment>;
    await this.#client.status.update(Deployment, next).catch(ignoreGone);
  }

  async #scale(scaling: Scaling, sets: Sets): Promise<void> {
    const max = this.#isRecreate ? this.#wanted : this.#wanted + this.#bounds.maxSurge;
    for (const set of sets) {
      const replicas = scaling.get(set.metadata.name);
      const isSized = set.metadata.annotations?.[desiredReplicasAnnotation] === String(this.#wanted);
      if (replicas === undefined || (replicas === set.spec.replicas && isSized)) continue;
      const sizes = { desired: this.#wanted, max };
      const annotations = replicaSetAnnotations(this.#deployment, revisionOf(set), sizes, set.metadata.annotations);
      await this.#client.patch(
        ReplicaSet,
        set,
        { metadata: { annotations }, spec: { replicas } },
        { optimisticLock: true },
      );
      if (replicas !== set.spec.replicas)
        emitScaled(this.#recorder, this.#deployment, set.metadata.name, set.spec.replicas ?? 0, replicas);
    }
  }

  async #writeStatus(fresh: DeepReadonly<ReplicaSet> | undefined, all: Sets): Promise<void> {
    const status = deploymentStatus(this.#deployment, fresh, all, this.#clock);
    if (isDeepStrictEqual(status, { ...this.#deployment.status })) return;
    try {
      await this.#client.status.update(Deployment, { ...this.#deployment, status } as DeepReadonly<Deployment>);
    } catch (error) {
      if (!isConflict(error)) throw error; // our own write of the annotation came first; its event enqueues the deployment again
    }
  }

  /** Deletes the oldest replica sets in excess of `revisionHistoryLimit`. */
  async #dropHistory(fresh: DeepReadonly<ReplicaSet> | undefined, all: Sets): Promise<void> {
    const limit = this.#deployment.spec.revisionHistoryLimit;
    if (limit === undefined || !fresh || (fresh.status?.availableReplicas ?? 0) < this.#wanted) return;
    const empty = all.filter(
      (set) =>
        set !== fresh &&
        set.spec.replicas === 0 &&
        !set.status?.replicas &&
        set.metadata.deletionTimestamp === undefined,
    );
    const excess = empty
      .toSorted((a, b) => (revisionOf(a) < revisionOf(b) ? -1 : 1))
      .slice(0, Math.max(0, empty.length - limit));
    for (const set of excess) await this.#client.delete(ReplicaSet, keyOf(set)).catch(ignoreNotFound);
  }

  #untilDeadline(): { requeueAfterMs: number } | undefined {
    const seconds = this.#deployment.spec.progressDeadlineSeconds;
    const progressing = this.#deployment.status?.conditions?.find(({ type }) => type === "Progressing");
    if (seconds === undefined || !progressing || progressing.reason === "NewReplicaSetAvailable") return undefined;
    return progressing.status === "True" ? { requeueAfterMs: seconds * 1_000 } : undefined;
  }

  get #isRecreate(): boolean {
    return this.#deployment.spec.strategy?.type === "Recreate";
  }

  get #bounds(): { readonly maxSurge: number; readonly maxUnavailable: number } {
    return rolloutBounds(this.#deployment.spec.strategy?.rollingUpdate, this.#wanted);
  }
}
