import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Job, Pod } from "@kubewright/client/kinds";
import { isPodActive } from "../workload/pod-state.ts";
import { IndexSet } from "./index-set.ts";
import { endOf, hasFailed, isTracked, retryDelayMs } from "./job-pods.ts";
import { indexOf } from "./job-status.ts";
import { isIgnored, matchFailurePolicy } from "./pod-failure-policy.ts";

type JobView = DeepReadonly<Job>;
type PodView = DeepReadonly<Pod>;

const failures = "batch.kubernetes.io/job-index-failure-count";
const ignoredFailures = "batch.kubernetes.io/job-index-ignored-failure-count";

const countIn = ({ metadata }: PodView, annotation: string): number => {
  const text = metadata.annotations?.[annotation] ?? "";
  return /^\d+$/.test(text) ? Number(text) : 0;
};

/** True if the job limits the number of failures per index. */
export const hasLimitPerIndex = ({ spec }: JobView): boolean =>
  spec.completionMode === "Indexed" && spec.backoffLimitPerIndex !== undefined;

/**
 * Returns the failed indexes: those already recorded, and those whose pods have now exceeded the failure limit.
 *
 * @see kubernetes pkg/controller/job calculateFailedIndexes
 */
export function failedIndexes(job: JobView, pods: readonly PodView[]): IndexSet {
  const { completions = 0 } = job.spec;
  const failed: number[] = [];
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions || !isTracked(pod) || !hasFailed(pod, job)) continue;
    const action = matchFailurePolicy(job, pod)?.action;
    const isSpent = countIn(pod, failures) >= (job.spec.backoffLimitPerIndex ?? 0);
    if (action === "FailIndex" || (action !== "Ignore" && isSpent)) failed.push(index);
  }
  return IndexSet.parse(job.status?.failedIndexes, completions).with(failed);
}

/**
 * Returns the last failed pod of each unfinished index that has no current pod. Such a pod is not deleted until it has been replaced,
 * because its annotations contain the failure count of the index.
 */
export function podsToReplace(
  job: JobView,
  pods: readonly PodView[],
  settled: (index: number) => boolean,
): ReadonlyMap<number, PodView> {
  const active = new Set(pods.filter(isPodActive).map(indexOf));
  const last = new Map<number, PodView>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || !isTracked(pod) || !hasFailed(pod, job) || settled(index) || active.has(index)) continue;
    const other = last.get(index);
    if (!other || failuresAt(pod) > failuresAt(other)) last.set(index, pod);
  }
  return last;
}

const failuresAt = (pod: PodView): number => countIn(pod, failures) + countIn(pod, ignoredFailures);

/**
 * Returns the annotations for a new pod, which contain the failure count of its index. If the pod does not replace a
 * failed pod, the count is 0.
 */
export function failureAnnotations(job: JobView, replaced: PodView | undefined): Record<string, string> {
  if (!replaced) return { [failures]: "0" };
  const ignored = isIgnored(job, replaced);
  const ignoredCount = countIn(replaced, ignoredFailures) + (ignored ? 1 : 0);
  return {
    [failures]: String(countIn(replaced, failures) + (ignored ? 0 : 1)),
    ...(ignoredCount > 0 ? { [ignoredFailures]: String(ignoredCount) } : {}),
  };
}

/** Returns the time at which the next pod for an index may start, in milliseconds since 1970. */
export function retryAt(job: JobView, replaced: PodView | undefined): number {
  if (!replaced) return 0;
  const count = countIn(replaced, failures) + (isIgnored(job, replaced) ? 0 : 1);
  return count === 0 ? 0 : endOf(replaced) + retryDelayMs(count);
}
