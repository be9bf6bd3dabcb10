import {
  type Condition,
  type DeepReadonly,
  mutableCopy,
  type NewCondition,
  removeCondition,
  setCondition,
} from "@kubewright/apimachinery";
import type { Deployment, ReplicaSet } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { rolloutBounds } from "./rolling-update.ts";

type Status = NonNullable<Deployment["status"]>;
type DeploymentCondition = Condition & { lastUpdateTime?: string };

const total = (
  sets: readonly DeepReadonly<ReplicaSet>[],
  of: (set: DeepReadonly<ReplicaSet>) => number | undefined,
): number => sets.reduce((sum, set) => sum + (of(set) ?? 0), 0);

/**
 * Derives a deployment's status from its replica sets.
 *
 * @see kubernetes pkg/controller/deployment/sync.go calculateStatus, progress.go syncRolloutStatus
 */
export function deploymentStatus(
  deployment: DeepReadonly<Deployment>,
  fresh: DeepReadonly<ReplicaSet> | undefined,
  all: readonly DeepReadonly<ReplicaSet>[],
  clock: Clock,
): Status {
  const wanted = deployment.spec.replicas ?? 1;
  const available = total(all, ({ status }) => status?.availableReplicas);
  const replicas = total(all, ({ status }) => status?.replicas);
  const counts = {
    replicas,
    updatedReplicas: fresh?.status?.replicas ?? 0,
    readyReplicas: total(all, ({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, total(all, ({ spec }) => spec.replicas) - available),
  };
  const conditions = (mutableCopy(deployment.status?.conditions) ?? []) as DeploymentCondition[];
  const now = rfc3339(clock.now());
  const isStrategyRolling = deployment.spec.strategy?.type !== "Recreate";
  const { maxUnavailable } = rolloutBounds(deployment.spec.strategy?.rollingUpdate, wanted);
  const isAvailable = available >= wanted - (isStrategyRolling ? maxUnavailable : 0);
  put(conditions, now, isAvailable ? minimumAvailable : minimumUnavailable);
  const progress = progressCondition(deployment, fresh, counts, wanted, conditions, clock);
  if (progress) put(conditions, now, progress, madeProgress(deployment.status, counts));
  const failure = [...(fresh ? [fresh] : []), ...all]
    .flatMap(({ status }) => status?.conditions ?? [])
    .find(({ type }) => type === "ReplicaFailure");
  if (failure)
    put(conditions, now, {
      type: failure.type,
      status: "True",
      reason: failure.reason ?? "",
      message: failure.message ?? "",
    });
  else removeCondition(conditions, "ReplicaFailure");
  const terminating = all.map(({ status }) => status?.terminatingReplicas);
  const { collisionCount } = deployment.status ?? {};
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...(terminating.includes(undefined)
      ? {}
      : { terminatingReplicas: terminating.reduce<number>((sum, count) => sum + (count ?? 0), 0) }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: conditions as NonNullable<Status["conditions"]>,
  };
}

const minimumAvailable: NewCondition = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
};
const minimumUnavailable: NewCondition = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
};

interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

function madeProgress(before: DeepReadonly<Status> | undefined, now: Counts): boolean {
  return (
    now.updatedReplicas > (before?.updatedReplicas ?? 0) ||
    now.replicas - now.updatedReplicas < (before?.replicas ?? 0) - (before?.updatedReplicas ?? 0) ||
    now.readyReplicas > (before?.readyReplicas ?? 0) ||
    now.availableReplicas > (before?.availableReplicas ?? 0)
  );
}

function progressCondition(
  deployment: DeepReadonly<Deployment>,
  fresh: DeepReadonly<ReplicaSet> | undefined,
  counts: Counts,
  wanted: number,
  conditions: readonly DeploymentCondition[],
  clock: Clock,
): NewCondition | undefined {
  const condition = (status: "True" | "False", reason: string, message: string): NewCondition => ({
    type: "Progressing",
    status,
    reason,
    message,
  });
  const about = fresh ? `ReplicaSet "${fresh.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const present = conditions.find(({ type }) => type === "Progressing");
  const isComplete =
    counts.updatedReplicas === wanted &&
    counts.replicas === wanted &&
    counts.availableReplicas === wanted &&
    (deployment.status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0);
  const wasComplete = counts.replicas === counts.updatedReplicas && present?.reason === "NewReplicaSetAvailable";
  if (wasComplete) return undefined;
  if (isComplete) return condition("True", "NewReplicaSetAvailable", `${about} has successfully progressed.`);
  if (!present || present.reason === "NewReplicaSetAvailable" || madeProgress(deployment.status, counts))
    return condition(
      "True",
      present ? "ReplicaSetUpdated" : "NewReplicaSetCreated",
      present ? `${about} is progressing.` : `Created new replica set "${fresh?.metadata.name ?? ""}"`,
    );
  if (deployment.spec.paused) return undefined;
  const deadline = deployment.spec.progressDeadlineSeconds;
  const since = Date.parse(present.lastUpdateTime ?? present.lastTransitionTime);
  if (deadline !== undefined && clock.now() > since + deadline * 1_000)
    return condition("False", "ProgressDeadlineExceeded", `${about} has timed out progressing.`);
  return undefined;
}

function put(conditions: DeploymentCondition[], now: string, next: NewCondition, renew = false): void {
  if (!setCondition(conditions, next, now) && !renew) return;
  const stored = conditions.find(({ type }) => type === next.type);
  if (stored) stored.lastUpdateTime = now;
}
