import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Job, Pod } from "@kubewright/client/kinds";
import type { IndexSet } from "./index-set.ts";
import { hasFailed } from "./job-pods.ts";
import { restartsExceed, standingVerdict, type Verdict } from "./job-status.ts";
import { matchFailurePolicy } from "./pod-failure-policy.ts";
import { fulfilledSuccessRule } from "./success-policy.ts";

type Pods = readonly DeepReadonly<Pod>[];

/** A job's progress, from which its verdict is derived. */
export interface Progress {
  readonly failed: number;
  readonly completed: IndexSet;
  /** Indexes that have failed. */
  readonly lost: IndexSet;
  /** True if `activeDeadlineSeconds` has passed. */
  readonly isOverdue: boolean;
  readonly active: Pods;
}

/**
 * Returns the verdict if a job has failed or met its success policy, even if some of its pods are still running.
 * Returns `undefined` if the job continues.
 *
 * @see kubernetes pkg/controller/job syncJob
 */
export function judge(job: DeepReadonly<Job>, pods: Pods, progress: Progress): Verdict | undefined {
  return standingVerdict(job) ?? verdictOfPods(job, pods, progress) ?? verdictOfIndexes(job, progress);
}

function verdictOfPods(job: DeepReadonly<Job>, pods: Pods, progress: Progress): Verdict | undefined {
  const fatal = pods
    .filter((pod) => hasFailed(pod, job))
    .map((pod) => matchFailurePolicy(job, pod))
    .find((match) => match?.action === "FailJob");
  if (fatal) return failure("PodFailurePolicy", fatal.message);
  if (progress.failed > (job.spec.backoffLimit ?? 6) || restartsExceed(job, progress.active))
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  return progress.isOverdue ? failure("DeadlineExceeded", "Job was active longer than specified deadline") : undefined;
}

function verdictOfIndexes(job: DeepReadonly<Job>, { lost, completed }: Progress): Verdict | undefined {
  const { maxFailedIndexes, completions = 0, completionMode } = job.spec;
  if (completionMode !== "Indexed") return undefined;
  if (maxFailedIndexes !== undefined && lost.size > maxFailedIndexes)
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  if (lost.size > 0 && lost.size + completed.size >= completions)
    return failure("FailedIndexes", "Job has failed indexes");
  const rule = fulfilledSuccessRule(job, completed);
  if (rule === undefined) return undefined;
  return { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
}

const failure = (reason: string, message: string): Verdict => ({ type: "FailureTarget", reason, message });
