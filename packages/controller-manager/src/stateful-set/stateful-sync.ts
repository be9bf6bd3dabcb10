import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreAlreadyExists, ignoreNotFound, keyOf, mutableCopy } from "@kubewright/apimachinery";
import { PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { ReconcileContext, Result } from "@kubewright/controller";
import { hashOf, type Revision, type Revisions, templateOf } from "../workload/controller-revisions.ts";
import { ignoreGone, isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { availableAt, isPodReady } from "../workload/pod-state.ts";
import { isStale, keepClaimOwners } from "./claim-retention.ts";
import { claimsOf, ordinalOf, statefulPod } from "./stateful-pod.ts";

type PodView = DeepReadonly<Pod>;

/** Delay before the set is checked again if claims that its pods need are still being deleted. */
const heldUpMs = 1_000;

/**
 * A sync of a stateful set. It performs at most one step per pod or, with `OrderedReady`, one step in total.
 *
 * @see kubernetes pkg/controller/statefulset stateful_set_control.go
 */
export class StatefulSync {
  readonly #set: DeepReadonly<StatefulSet>;
  readonly #pods = new Map<number, PodView>();
  readonly #context: ReconcileContext;
  readonly #clock: Clock;
  readonly #update: string;
  readonly #current: string;
  readonly #currentRevision: Revision | undefined;
  #isHeldUp = false;

  constructor(
    set: DeepReadonly<StatefulSet>,
    pods: readonly PodView[],
    { all, update }: Revisions,
    context: ReconcileContext,
    clock: Clock,
  ) {
    this.#set = set;
    this.#context = context;
    this.#clock = clock;
    this.#update = update.metadata.name;
    this.#currentRevision = all.find(({ metadata }) => metadata.name === set.status?.currentRevision);
    this.#current = this.#currentRevision?.metadata.name ?? this.#update;
    for (const pod of pods) {
      const ordinal = ordinalOf(set, pod.metadata.name);
      if (ordinal !== undefined) this.#pods.set(ordinal, pod);
    }
  }

  async run(): Promise<Result | undefined> {
    await this.#step();
    const later = await this.#report();
    return this.#isHeldUp ? { requeueAfterMs: heldUpMs } : later;
  }

  get #first(): number {
    return this.#set.spec.ordinals?.start ?? 0;
  }

  get #end(): number {
    return this.#first + (this.#set.spec.replicas ?? 1);
  }

  get #isOrdered(): boolean {
    return this.#set.spec.podManagementPolicy !== "Parallel";
  }

  get #partition(): number {
    return this.#set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  }

  async #step(): Promise<void> {
    let isBusy = false;
    for (const [ordinal, pod] of this.#pods)
      await keepClaimOwners(
        this.#context.client,
        this.#set,
        pod,
        ordinal,
        ordinal < this.#first || ordinal >= this.#end,
      );
    for (let ordinal = this.#first; ordinal < this.#end; ordinal++) {
      const isDone = await this.#keep(ordinal);
      if (!isDone) isBusy = true;
      if (!isDone && this.#isOrdered) return;
    }
    const surplus = [...this.#pods.keys()]
      .filter((each) => each < this.#first || each >= this.#end)
      .sort((a, b) => b - a);
    for (const ordinal of surplus) {
      isBusy = true;
      const pod = this.#pods.get(ordinal);
      if (pod && !isGoing(pod)) await this.#delete(pod);
      if (this.#isOrdered) return;
    }
    if (!isBusy) await this.#rollOut();
  }

  /**
   * Creates the pod with this ordinal if it does not exist, or deletes it if it has finished. Returns true if the pod exists and is
   * available.
   */
  async #keep(ordinal: number): Promise<boolean> {
    const pod = this.#pods.get(ordinal);
    if (!pod) {
      await this.#create(ordinal);
      return false;
    }
    if (isGoing(pod)) return false;
    if (pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") {
      await this.#delete(pod);
      return false;
    }
    if (pod.status?.phase === "Pending" && !pod.spec.nodeName) await this.#ensureClaims(ordinal);
    return this.#isAvailable(pod);
  }

  #isAvailable(pod: PodView): boolean {
    const at = availableAt(pod, this.#set.spec.minReadySeconds ?? 0);
    return at !== undefined && at <= this.#clock.now();
  }

  /** Deletes outdated pods one at a time, from the highest ordinal down to the partition. */
  async #rollOut(): Promise<void> {
    if (this.#set.spec.updateStrategy?.type === "OnDelete") return;
    for (let ordinal = this.#end - 1; ordinal >= this.#first + this.#partition; ordinal--) {
      const pod = this.#pods.get(ordinal);
      if (!pod || isGoing(pod)) return;
      if (hashOf(pod.metadata) !== this.#update) return this.#delete(pod);
      if (!isPodReady(pod)) return;
    }
  }

  async #create(ordinal: number): Promise<void> {
    const { client, recorder } = this.#context;
    await this.#ensureClaims(ordinal);
    if (this.#isHeldUp) return;
    const isOld = ordinal < this.#first + this.#partition && this.#currentRevision !== undefined;
    const old = isOld && this.#currentRevision ? templateOf(this.#currentRevision) : undefined;
    const template = old ?? this.#set.spec.template;
    try {
      const pod = await client.create(
        Pod,
        statefulPod(this.#set, ordinal, template, old ? this.#current : this.#update),
      );
      const note = `create Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} successful`;
      recorder.event(this.#set, { reason: "SuccessfulCreate", note });
      this.#pods.set(ordinal, pod);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const text = error instanceof Error ? error.message : String(error);
      const note = `create Pod ${this.#set.metadata.name}-${ordinal} in StatefulSet ${this.#set.metadata.name} failed error: ${text}`;
      recorder.event(this.#set, { type: "Warning", reason: "FailedCreate", note });
      throw error;
    }
  }

  async #ensureClaims(ordinal: number): Promise<void> {
    const { client } = this.#context;
    const { name: setName, namespace } = this.#set.metadata;
    for (const claim of claimsOf(this.#set, ordinal)) {
      const key = { namespace, name: claim.metadata.name ?? "" };
      const present = await client.get(PersistentVolumeClaim, key).catch(ignoreNotFound);
      if (!present) await client.create(PersistentVolumeClaim, claim).catch(ignoreAlreadyExists);
      else if (present.metadata.deletionTimestamp !== undefined || isStale(present, `${setName}-${ordinal}`))
        this.#isHeldUp = true;
    }
  }

  async #delete(pod: PodView): Promise<void> {
    const { client, recorder } = this.#context;
    await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } }).catch(ignoreGone);
    const note = `delete Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} successful`;
    recorder.event(this.#set, { reason: "SuccessfulDelete", note });
  }

  async #report(): Promise<Result | undefined> {
    const pods = [...this.#pods.values()];
    const live = pods.filter((pod) => !isGoing(pod));
    const count = (hash: string): number => live.filter(({ metadata }) => hashOf(metadata) === hash).length;
    const ready = live.filter(isPodReady);
    const wanted = this.#set.spec.replicas ?? 1;
    const isRolledOut =
      count(this.#update) === wanted && ready.length === wanted && live.length === wanted && pods.length === wanted;
    const current = isRolledOut ? this.#update : this.#current;
    const status = {
      observedGeneration: this.#set.metadata.generation ?? 0,
      replicas: pods.length,
      ...positive("readyReplicas", ready.length),
      ...positive("currentReplicas", count(current)),
      ...positive("updatedReplicas", count(this.#update)),
      availableReplicas: ready.filter((pod) => this.#isAvailable(pod)).length,
      currentRevision: current,
      updateRevision: this.#update,
      collisionCount: this.#set.status?.collisionCount ?? 0,
      ...(this.#set.status?.conditions ? { conditions: this.#set.status.conditions } : {}),
    };
    if (!isDeepStrictEqual(plain(status), plain(this.#set.status ?? {}))) {
      const next = { ...mutableCopy(this.#set), status } as DeepReadonly<StatefulSet>;
      await this.#context.client.status.update(StatefulSet, next).catch(ignoreGone);
    }
    const later = ready.flatMap((pod) => availableAt(pod, this.#set.spec.minReadySeconds ?? 0) ?? []);
    const waiting = later.filter((at) => at > this.#clock.now());
    return waiting.length > 0 ? { requeueAfterMs: Math.min(...waiting) - this.#clock.now() } : undefined;
  }
}

const isGoing = ({ metadata }: PodView): boolean => metadata.deletionTimestamp !== undefined;
const positive = (name: string, count: number): Record<string, number> => (count > 0 ? { [name]: count } : {});
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
