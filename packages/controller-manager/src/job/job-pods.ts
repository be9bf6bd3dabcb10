import type { DeepReadonly } from "@kubewright/apimachinery";
import { type Job, Pod } from "@kubewright/client/kinds";
import type { ReconcileContext } from "@kubewright/controller";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { isPodReady } from "../workload/pod-state.ts";
import { trackingFinalizer } from "./job-status.ts";
import { isIgnored } from "./pod-failure-policy.ts";

type PodView = DeepReadonly<Pod>;

/** Removes the tracking finalizer from a pod that has been counted. */
export async function releasePod(client: ReconcileContext["client"], pod: PodView): Promise<void> {
  const finalizers = (pod.metadata.finalizers ?? []).filter((each) => each !== trackingFinalizer);
  await client.patch(Pod, pod, { metadata: { finalizers } }, { optimisticLock: true }).catch(ignoreGone);
}

/** True if the pod still has the tracking finalizer, which is removed once the pod has been counted. */
export const isTracked = ({ metadata }: PodView): boolean => metadata.finalizers?.includes(trackingFinalizer) ?? false;

const isTerminal = ({ status }: PodView): boolean => status?.phase === "Failed" || status?.phase === "Succeeded";

/**
 * True if the job replaces a pod only after the pod has terminated, false if it does so as soon as the pod is being
 * deleted.
 */
export const replacesOnlyFailed = ({ spec }: DeepReadonly<Job>): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;

/** True if the pod is being deleted but has not terminated yet. */
export const isTerminating = (pod: PodView): boolean =>
  pod.metadata.deletionTimestamp !== undefined && !isTerminal(pod);

/**
 * Reports whether a pod has failed. A pod that is being deleted before it has succeeded counts as failed, unless the
 * job waits for pods to terminate.
 */
export const hasFailed = (pod: PodView, job: DeepReadonly<Job>): boolean =>
  pod.status?.phase === "Failed" || (isTerminating(pod) && !replacesOnlyFailed(job));

export const hasEnded = (pod: PodView, job: DeepReadonly<Job>): boolean =>
  pod.status?.phase === "Succeeded" || hasFailed(pod, job);

const firstBackoffMs = 10_000;
const longestBackoffMs = 600_000;

/**
 * Returns the time at which the next pod may be created after consecutive failures, in milliseconds since 1970. The
 * delay after consecutive failures is 10 s, 20 s, 40 s and so on.
 */
export function backoffEnd(job: DeepReadonly<Job>, pods: readonly PodView[]): number {
  const ended = pods
    .filter((pod) => hasEnded(pod, job) && !isIgnored(job, pod))
    .toSorted((a, b) => endOf(a) - endOf(b));
  const lastSuccess = ended.findLastIndex(({ status }) => status?.phase === "Succeeded");
  const failures = ended.slice(lastSuccess + 1);
  const last = failures.at(-1);
  return last ? endOf(last) + retryDelayMs(failures.length) : 0;
}

/** Returns the delay before a new pod is created after `count` failures. */
export const retryDelayMs = (count: number): number => Math.min(firstBackoffMs * 2 ** (count - 1), longestBackoffMs);

/** Returns the time at which a pod terminated, in milliseconds since 1970. */
export function endOf({ metadata, status }: PodView): number {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const times = [...ends, metadata.deletionTimestamp ?? metadata.creationTimestamp ?? ""];
  return Math.max(0, ...times.map((at) => Date.parse(at) || 0));
}

/**
 * Compares pods, to sort them in the order in which to delete them: unready pods first, then ready pods, and the newest
 * pods first within each group.
 */
export const byLeastProgress = (a: PodView, b: PodView): number =>
  Number(isPodReady(a)) - Number(isPodReady(b)) ||
  (b.metadata.creationTimestamp ?? "").localeCompare(a.metadata.creationTimestamp ?? "");
