import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Job, Pod } from "@kubewright/client/kinds";

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

type Conditions = NonNullable<NonNullable<DeepReadonly<Job>["status"]>["conditions"]>;
type Pods = readonly DeepReadonly<Pod>[];

/** The reason why a job has finished or is about to finish. */
export interface Verdict {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

const hasCondition = (job: DeepReadonly<Job>, type: string): boolean =>
  job.status?.conditions?.some((each) => each.type === type && each.status === "True") ?? false;

export const isJobFinished = (job: DeepReadonly<Job>): boolean =>
  hasCondition(job, "Complete") || hasCondition(job, "Failed");

/**
 * Returns the conditions with one condition set to a status. Returns them unchanged if the condition already has this
 * status, or if the status is `False` and the condition does not exist.
 */
export function withCondition(
  conditions: Conditions | undefined,
  wanted: {
    readonly type: string;
    readonly status: "True" | "False";
    readonly reason: string;
    readonly message: string;
  },
  now: string,
): Conditions | undefined {
  const present = conditions?.find(({ type }) => type === wanted.type);
  if (present ? present.status === wanted.status : wanted.status === "False") return conditions;
  const condition = { ...wanted, lastProbeTime: now, lastTransitionTime: now } as Conditions[number];
  return [...(conditions ?? []).filter((each) => each !== present), condition];
}

/** Returns the `Suspended` condition for a suspended or resumed job. */
export const suspension = (isSuspended: boolean) =>
  isSuspended
    ? ({ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" } as const)
    : ({ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" } as const);

/** Returns the verdict that is already recorded in the job's conditions. */
export function standingVerdict({ status }: DeepReadonly<Job>): Verdict | undefined {
  const standing = status?.conditions?.find(
    ({ type, status: holds }) => holds === "True" && (type === "SuccessCriteriaMet" || type === "FailureTarget"),
  );
  return (
    standing && {
      type: standing.type as Verdict["type"],
      reason: standing.reason ?? "",
      message: standing.message ?? "",
    }
  );
}

/** Reports whether pods that are restarted in place have failed too often. @see kubernetes pkg/controller/job pastBackoffLimitOnFailure */
export function restartsExceed(job: DeepReadonly<Job>, pods: Pods): boolean {
  if (job.spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const limit = job.spec.backoffLimit ?? 6;
  const restarts = pods
    .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
    .flatMap(({ status }) => [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

export function indexOf({ metadata }: DeepReadonly<Pod>): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
