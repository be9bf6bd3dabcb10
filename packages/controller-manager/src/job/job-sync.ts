import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, keyOf, mutableCopy } from "@kubewright/apimachinery";
import { Job, Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ReconcileContext, Result } from "@kubewright/controller";
import { inGrowingBatches } from "../workload/batches.ts";
import { ignoreGone, isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { isPodActive, isPodReady } from "../workload/pod-state.ts";
import { jobPod } from "./job-pod.ts";
import { backoffEnd, byLeastProgress, hasEnded, hasFailed, isTerminal, isTracked, releasePod } from "./job-pods.ts";
import {
  formatIndexes,
  indexOf,
  parseIndexes,
  restartsExceed,
  standingVerdict,
  type Verdict,
  withCondition,
} from "./job-status.ts";

type Pods = readonly DeepReadonly<Pod>[];
type Status = NonNullable<Job["status"]>;

const burst = 500;

/**
 * One look at a job: counts pods that have ended, ends or creates pods, and settles the job.
 *
 * A pod is counted before its finalizer is taken off, and leaves the list of the uncounted after that, so that no pod is counted
 * twice or not at all, whoever deletes it.
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

  constructor(job: DeepReadonly<Job>, pods: Pods, context: ReconcileContext, clock: Clock) {
    this.#job = job;
    this.#pods = pods;
    this.#context = context;
    this.#clock = clock;
    this.#status = mutableCopy(job.status) ?? {};
    this.#isIndexed = job.spec.completionMode === "Indexed";
  }

  async run(): Promise<Result | undefined> {
    const { spec, metadata } = this.#job;
    const active = this.#pods.filter(isPodActive);
    if (!spec.suspend) this.#status.startTime ??= this.#now as NonNullable<Status["startTime"]>;
    this.#settleCounted();
    this.#countEnded();
    const verdict = this.#verdict(active);
    let left = active.length;
    let pause: number | undefined;
    if (verdict) {
      await this.#delete(active);
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

  /** Pods whose finalizer is gone have been counted for good. */
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

  #countEnded(): void {
    const { succeeded = [], failed = [] } = this.#status.uncountedTerminatedPods ?? {};
    const newlyEnded = this.#pods.filter(isTracked);
    const completed = new Set(parseIndexes(this.#status.completedIndexes));
    for (const pod of newlyEnded) {
      const { uid = "" } = pod.metadata;
      if (pod.status?.phase === "Succeeded") {
        const index = indexOf(pod);
        if (this.#isIndexed && index !== undefined && index < (this.#job.spec.completions ?? 0)) completed.add(index);
        else if (!this.#isIndexed && !succeeded.includes(uid)) succeeded.push(uid);
      } else if (hasFailed(pod) && !failed.includes(uid)) failed.push(uid);
    }
    this.#setUncounted(succeeded, failed);
    if (!this.#isIndexed) return;
    this.#status.succeeded = completed.size;
    this.#status.completedIndexes = formatIndexes(completed);
  }

  get #succeeded(): number {
    return (this.#status.succeeded ?? 0) + (this.#status.uncountedTerminatedPods?.succeeded?.length ?? 0);
  }

  get #failed(): number {
    return (this.#status.failed ?? 0) + (this.#status.uncountedTerminatedPods?.failed?.length ?? 0);
  }

  #verdict(active: Pods): Verdict | undefined {
    const standing = standingVerdict(this.#job);
    if (standing) return standing;
    if (this.#failed > (this.#job.spec.backoffLimit ?? 6) || restartsExceed(this.#job, active))
      return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
    const left = this.#untilDeadlineMs();
    if (left !== undefined && left <= 0)
      return failure("DeadlineExceeded", "Job was active longer than specified deadline");
    return undefined;
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
    return Date.parse(startTime) + activeDeadlineSeconds * 1_000 - this.#clock.now();
  }

  async #manage(active: Pods): Promise<{ readonly active: number; readonly pauseMs?: number }> {
    const { suspend, parallelism = 1, completions } = this.#job.spec;
    if (suspend) {
      await this.#delete(active);
      return { active: 0 };
    }
    const open =
      completions === undefined ? (this.#succeeded > 0 ? active.length : parallelism) : completions - this.#succeeded;
    const wanted = Math.max(0, Math.min(parallelism, open));
    if (active.length > wanted) {
      const surplus = active.toSorted(byLeastProgress).slice(0, active.length - wanted);
      await this.#delete(surplus);
      return { active: wanted };
    }
    const missing = Math.min(wanted - active.length, burst);
    if (missing === 0) return { active: active.length };
    const pauseMs = backoffEnd(this.#pods) - this.#clock.now();
    if (pauseMs > 0) return { active: active.length, pauseMs };
    const indexes = this.#isIndexed ? this.#openIndexes(active).slice(0, missing) : undefined;
    const count = indexes?.length ?? missing;
    await inGrowingBatches(count, async (i) => this.#create(indexes?.[i]));
    return { active: active.length + count };
  }

  #openIndexes(active: Pods): number[] {
    const taken = new Set([
      ...parseIndexes(this.#status.completedIndexes),
      ...active.flatMap((pod) => indexOf(pod) ?? []),
    ]);
    return Array.from({ length: this.#job.spec.completions ?? 0 }, (_, i) => i).filter((i) => !taken.has(i));
  }

  async #create(index: number | undefined): Promise<void> {
    const { client, recorder } = this.#context;
    try {
      const pod = await client.create(Pod, jobPod(this.#job, index));
      recorder.event(this.#job, { reason: "SuccessfulCreate", note: `Created pod: ${pod.metadata.name}` });
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const note = `Error creating: ${error instanceof Error ? error.message : error}`;
      recorder.event(this.#job, { type: "Warning", reason: "FailedCreate", note });
      throw error;
    }
  }

  async #delete(pods: Pods): Promise<void> {
    const { client, recorder } = this.#context;
    const remove = async (pod: DeepReadonly<Pod>): Promise<void> => {
      await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } }).catch(ignoreGone);
      recorder.event(this.#job, { reason: "SuccessfulDelete", note: `Deleted pod: ${pod.metadata.name}` });
    };
    await Promise.all(pods.map(remove));
  }

  #setSuspended(): void {
    const isSuspended = this.#job.spec.suspend === true;
    const condition = isSuspended
      ? ({ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" } as const)
      : ({ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" } as const);
    const conditions = withCondition(this.#status.conditions, condition, this.#now);
    if (conditions === this.#status.conditions) return;
    this.#status.conditions = conditions as NonNullable<Status["conditions"]>;
    const reason = isSuspended ? "Suspended" : "Resumed";
    this.#context.recorder.event(this.#job, { reason, note: condition.message });
    if (isSuspended) delete this.#status.startTime;
    else this.#status.startTime = this.#now as NonNullable<Status["startTime"]>;
  }

  #report(active: number, still: Pods, deleted: number): void {
    const terminating = this.#pods.filter(
      (pod) => pod.metadata.deletionTimestamp !== undefined && !isTerminal(pod),
    ).length;
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

  /** Takes the finalizer off pods that are counted; off all of them once the job is over. */
  async #release(isOver: boolean): Promise<void> {
    const isGoing = this.#job.metadata.deletionTimestamp !== undefined;
    const counted = this.#pods.filter((pod) => isTracked(pod) && (isOver || isGoing || hasEnded(pod)));
    await Promise.all(counted.map((pod) => releasePod(this.#context.client, pod)));
  }

  /** Nothing may be left to count, nor a pod that is still ending. */
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

const failure = (reason: string, message: string): Verdict => ({ type: "FailureTarget", reason, message });
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
