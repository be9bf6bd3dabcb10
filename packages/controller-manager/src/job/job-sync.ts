import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, mutableCopy } from "@kubewright/apimachinery";
import { Job, type Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ReconcileContext, Result } from "@kubewright/controller";
import { inGrowingBatches } from "../workload/batches.ts";
import { isPodActive, isPodReady } from "../workload/pod-state.ts";
import { failedIndexes, failureAnnotations, hasLimitPerIndex, podsToReplace, retryAt } from "./index-failures.ts";
import { IndexSet } from "./index-set.ts";
import { jobPod } from "./job-pod.ts";
import { createPod, deletePods, maxAtOnce } from "./job-pod-writes.ts";
import {
  backoffEnd,
  byLeastProgress,
  hasEnded,
  hasFailed,
  isTerminating,
  isTracked,
  releasePod,
  replacesOnlyFailed,
} from "./job-pods.ts";
import { indexOf, suspension, type Verdict, withCondition } from "./job-status.ts";
import { judge } from "./job-verdict.ts";
import { isIgnored } from "./pod-failure-policy.ts";

type Pods = readonly DeepReadonly<Pod>[];
type Status = NonNullable<Job["status"]>;

/**
 * A sync of a job: counts finished pods, deletes or creates pods, and completes the job.
 *
 * The sync first adds a terminated pod to `uncountedTerminatedPods` in the status, then removes the pod's finalizer,
 * and finally adds the pod to the total count. This way, each pod is counted exactly once, even if someone else deletes
 * it.
 *
 * @see kubernetes pkg/controller/job syncJob
 */
export class JobSync {
  readonly #job: DeepReadonly<Job>;
  readonly #pods: Pods;
  readonly #context: ReconcileContext;
  readonly #clock: Clock;
  readonly #status: Status;
  readonly #isIndexed: boolean;
  #completed: IndexSet;
  /** Indexes that have failed. */
  #lost = IndexSet.empty;
  #replaced: ReadonlyMap<number, DeepReadonly<Pod>> = new Map();

  constructor(job: DeepReadonly<Job>, pods: Pods, context: ReconcileContext, clock: Clock) {
    this.#job = job;
    this.#pods = pods;
    this.#context = context;
    this.#clock = clock;
    this.#status = mutableCopy(job.status) ?? {};
    this.#isIndexed = job.spec.completionMode === "Indexed";
    this.#completed = this.#isIndexed
      ? IndexSet.parse(job.status?.completedIndexes, job.spec.completions ?? 0)
      : IndexSet.empty;
  }

  async run(): Promise<Result | undefined> {
    const { spec, metadata } = this.#job;
    const active = this.#pods.filter(isPodActive);
    if (!spec.suspend) this.#status.startTime ??= this.#now as NonNullable<Status["startTime"]>;
    this.#settleCounted();
    this.#readIndexes();
    const verdict = this.#verdict(active);
    this.#countEnded(verdict);
    let left = active.length;
    let pause: number | undefined;
    if (verdict) {
      await deletePods(this.#job, active, this.#context);
      left = 0;
    } else if (metadata.deletionTimestamp === undefined) {
      const managed = await this.#manage(active);
      left = managed.active;
      pause = managed.pauseMs;
      this.#setSuspended();
    }
    this.#report(left, verdict ? [] : active, verdict ? active.length : 0);
    const final = verdict ?? this.#success(left);
    if (final) this.#announce(final);
    await this.#write();
    await this.#release(final !== undefined);
    if (final && this.#mayFinish()) await this.#finish(final);
    const deadline = this.#untilDeadlineMs();
    const pauses = [pause, final ? undefined : deadline].filter((each) => each !== undefined);
    return pauses.length > 0 ? { requeueAfterMs: Math.max(1, Math.min(...pauses)) } : undefined;
  }

  get #now(): string {
    return rfc3339(this.#clock.now());
  }

  /** Moves pods whose finalizer has been removed from the uncounted pods to the total counts. */
  #settleCounted(): void {
    const held = new Set(this.#pods.filter(isTracked).map(({ metadata }) => metadata.uid));
    const uncounted = this.#status.uncountedTerminatedPods ?? {};
    const settle = (uids: string[] | undefined): readonly [rest: string[], settled: number] => {
      const rest = (uids ?? []).filter((uid) => held.has(uid));
      return [rest, (uids ?? []).length - rest.length];
    };
    const [succeeded, more] = settle(uncounted.succeeded);
    const [failed, moreFailed] = settle(uncounted.failed);
    if (!this.#isIndexed && more > 0) this.#status.succeeded = (this.#status.succeeded ?? 0) + more;
    if (moreFailed > 0) this.#status.failed = (this.#status.failed ?? 0) + moreFailed;
    this.#setUncounted(succeeded, failed);
  }

  #setUncounted(succeeded: string[], failed: string[]): void {
    this.#status.uncountedTerminatedPods = {
      ...(succeeded.length > 0 ? { succeeded } : {}),
      ...(failed.length > 0 ? { failed } : {}),
    };
  }

  #readIndexes(): void {
    if (!this.#isIndexed) return;
    const completions = this.#job.spec.completions ?? 0;
    const succeeded = this.#pods.filter((pod) => isTracked(pod) && pod.status?.phase === "Succeeded");
    const indexes = succeeded.flatMap((pod) => indexOf(pod) ?? []).filter((index) => index < completions);
    this.#completed = this.#completed.with(indexes);
    this.#status.succeeded = this.#completed.size;
    this.#status.completedIndexes = String(this.#completed);
    if (!hasLimitPerIndex(this.#job)) return;
    this.#lost = failedIndexes(this.#job, this.#pods);
    this.#status.failedIndexes = String(this.#lost);
    const isSettled = (index: number): boolean => this.#completed.has(index) || this.#lost.has(index);
    this.#replaced = podsToReplace(this.#job, this.#pods, isSettled);
  }

  /** Adds terminated pods to the uncounted pods. Once the job has failed, running pods also count as failed. */
  #countEnded(verdict: Verdict | undefined): void {
    const { succeeded = [], failed = [] } = this.#status.uncountedTerminatedPods ?? {};
    if (verdict) this.#replaced = new Map();
    const kept = new Set(this.#replaced.values());
    for (const pod of this.#pods.filter(isTracked)) {
      const { uid = "" } = pod.metadata;
      if (pod.status?.phase === "Succeeded") {
        if (!this.#isIndexed && !succeeded.includes(uid)) succeeded.push(uid);
      } else if (hasFailed(pod, this.#job) || verdict?.type === "FailureTarget") {
        if (!kept.has(pod) && !isIgnored(this.#job, pod) && !failed.includes(uid)) failed.push(uid);
      }
    }
    this.#setUncounted(succeeded, failed);
  }

  get #succeeded(): number {
    if (this.#isIndexed) return this.#completed.size;
    return this.#counted("succeeded", ({ status }) => status?.phase === "Succeeded");
  }

  get #failed(): number {
    return this.#counted("failed", (pod) => hasFailed(pod, this.#job) && !isIgnored(this.#job, pod));
  }

  /** Returns the total number of pods that have been counted, are about to be counted, or have just terminated. */
  #counted(as: "succeeded" | "failed", hasEndedSo: (pod: DeepReadonly<Pod>) => boolean): number {
    const noted = this.#status.uncountedTerminatedPods?.[as] ?? [];
    const isNew = (pod: DeepReadonly<Pod>): boolean =>
      isTracked(pod) && hasEndedSo(pod) && !noted.includes(pod.metadata.uid ?? "");
    return (this.#status[as] ?? 0) + noted.length + this.#pods.filter(isNew).length;
  }

  #verdict(active: Pods): Verdict | undefined {
    return judge(this.#job, this.#pods, {
      failed: this.#failed,
      completed: this.#completed,
      lost: this.#lost,
      isOverdue: (this.#untilDeadlineMs() ?? 1) <= 0,
      active,
    });
  }

  #success(active: number): Verdict | undefined {
    const { completions } = this.#job.spec;
    const isDone = completions === undefined ? this.#succeeded > 0 : this.#succeeded >= completions;
    if (!isDone || active > 0) return undefined;
    const message = "Reached expected number of succeeded pods";
    return { type: "SuccessCriteriaMet", reason: "CompletionsReached", message };
  }

  #untilDeadlineMs(): number | undefined {
    const { activeDeadlineSeconds, suspend } = this.#job.spec;
    const { startTime } = this.#status;
    if (activeDeadlineSeconds === undefined || suspend || startTime === undefined) return undefined;
    return Date.parse(startTime) + Number(activeDeadlineSeconds) * 1_000 - this.#clock.now();
  }

  async #manage(active: Pods): Promise<{ readonly active: number; readonly pauseMs?: number }> {
    const { suspend, parallelism = 1, completions } = this.#job.spec;
    if (suspend) {
      await deletePods(this.#job, active, this.#context);
      return { active: 0 };
    }
    const remaining =
      completions === undefined
        ? this.#succeeded > 0
          ? active.length
          : parallelism
        : completions - this.#succeeded - this.#lost.size;
    const wanted = Math.max(0, Math.min(parallelism, remaining));
    if (active.length > wanted) {
      const surplus = active.toSorted(byLeastProgress).slice(0, active.length - wanted);
      await deletePods(this.#job, surplus, this.#context);
      return { active: wanted };
    }
    const terminatingPods = replacesOnlyFailed(this.#job) ? this.#pods.filter(isTerminating) : [];
    const missing = Math.min(wanted - active.length - terminatingPods.length, maxAtOnce);
    if (missing <= 0) return { active: active.length };
    const now = this.#clock.now();
    const pauseMs = hasLimitPerIndex(this.#job) ? 0 : backoffEnd(this.#job, this.#pods) - now;
    if (pauseMs > 0) return { active: active.length, pauseMs };
    const taken = this.#takenIndexes([...active, ...terminatingPods]);
    const waits = (index: number): number => Math.max(0, retryAt(this.#job, this.#replaced.get(index)) - now);
    const open = taken.missing(this.#isIndexed ? (completions ?? 0) : 0);
    const begun = open.filter((index) => waits(index) === 0).take(missing);
    const indexes = this.#isIndexed ? [...begun] : undefined;
    const count = indexes?.length ?? missing;
    await inGrowingBatches(count, async (i) => this.#create(indexes?.[i]));
    // only failed indexes are waiting
    const failed = [...this.#replaced.keys()].filter((index) => !taken.has(index));
    const later = failed.map(waits).filter((ms) => ms > 0);
    return { active: active.length + count, ...(later.length > 0 ? { pauseMs: Math.min(...later) } : {}) };
  }

  #takenIndexes(busy: Pods): IndexSet {
    return this.#completed.union(this.#lost).with(busy.flatMap((pod) => indexOf(pod) ?? []));
  }

  #create(index: number | undefined): Promise<void> {
    const replaced = index === undefined ? undefined : this.#replaced.get(index);
    const counts = hasLimitPerIndex(this.#job) ? failureAnnotations(this.#job, replaced) : {};
    return createPod(this.#job, jobPod(this.#job, index, counts), this.#context);
  }

  #setSuspended(): void {
    const isSuspended = this.#job.spec.suspend === true;
    const condition = suspension(isSuspended);
    const conditions = withCondition(this.#status.conditions, condition, this.#now);
    if (conditions === this.#status.conditions) return;
    this.#status.conditions = conditions as NonNullable<Status["conditions"]>;
    const reason = isSuspended ? "Suspended" : "Resumed";
    this.#context.recorder.event(this.#job, { reason, note: condition.message });
    if (isSuspended) delete this.#status.startTime;
    else this.#status.startTime = this.#now as NonNullable<Status["startTime"]>;
  }

  #report(active: number, still: Pods, deleted: number): void {
    const terminating = this.#pods.filter(isTerminating).length;
    if (active > 0) this.#status.active = active;
    else delete this.#status.active;
    this.#status.ready = still.filter(isPodReady).length;
    this.#status.terminating = terminating + deleted;
  }

  #announce({ type, reason, message }: Verdict): void {
    const conditions = withCondition(this.#status.conditions, { type, status: "True", reason, message }, this.#now);
    this.#status.conditions = conditions as NonNullable<Status["conditions"]>;
  }

  async #write(): Promise<void> {
    if (isDeepStrictEqual(plain(this.#status), plain(this.#job.status ?? {}))) return;
    const stored = await this.#context.client.status.update(Job, { ...mutableCopy(this.#job), status: this.#status });
    this.#stored = stored;
  }

  #stored: DeepReadonly<Job> | undefined;

  /** Removes the finalizer from counted pods, or from all pods once the job has finished. */
  async #release(isOver: boolean): Promise<void> {
    const isGoing = this.#job.metadata.deletionTimestamp !== undefined;
    const kept = new Set(this.#replaced.values());
    const counted = this.#pods.filter(
      (pod) => isTracked(pod) && (isOver || isGoing || (hasEnded(pod, this.#job) && !kept.has(pod))),
    );
    await Promise.all(counted.map((pod) => releasePod(this.#context.client, pod)));
  }

  /** True if all pods have been counted and none is still terminating. */
  #mayFinish(): boolean {
    const { uncountedTerminatedPods = {}, terminating = 0 } = this.#status;
    return Object.keys(uncountedTerminatedPods).length === 0 && terminating === 0;
  }

  async #finish(verdict: Verdict): Promise<void> {
    const isComplete = verdict.type === "SuccessCriteriaMet";
    const { reason, message } = verdict;
    const type = isComplete ? "Complete" : "Failed";
    const conditions = withCondition(this.#status.conditions, { type, status: "True", reason, message }, this.#now);
    const status = {
      ...this.#status,
      conditions,
      ...(isComplete ? { completionTime: this.#now } : {}),
    } as Status;
    const base = mutableCopy(this.#stored ?? this.#job);
    await this.#context.client.status.update(Job, { ...base, status });
    const { recorder } = this.#context;
    if (isComplete) recorder.event(this.#job, { reason: "Completed", note: "Job completed" });
    else recorder.event(this.#job, { type: "Warning", reason, note: message });
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
