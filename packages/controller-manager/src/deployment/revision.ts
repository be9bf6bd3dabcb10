import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Deployment, ReplicaSet } from "@kubewright/client/kinds";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";

const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  "deprecated.deployment.rollback.to",
]);

/**
 * Returns a replica set's revision, or 0 if it has none. The result is a `bigint`, because the revision of an adopted
 * replica set may be any 64-bit number.
 */
export function revisionOf(object: DeepReadonly<ReplicaSet>): bigint {
  const text = object.metadata.annotations?.[revisionAnnotation] ?? "";
  return /^\d+$/.test(text) ? BigInt(text) : 0n;
}

/** Returns a replica set's annotations: its deployment's annotations, its revision, and the deployment's desired and maximum sizes. */
export function replicaSetAnnotations(
  deployment: DeepReadonly<Deployment>,
  revision: bigint,
  sizes: { readonly desired: number; readonly max: number },
  present: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const before = present[revisionAnnotation];
  const history = [present[revisionHistoryAnnotation], before].filter(Boolean).join(",");
  return {
    ...present,
    ...Object.fromEntries(copied),
    [revisionAnnotation]: String(revision),
    ...(before !== undefined && before !== String(revision) && history ? { [revisionHistoryAnnotation]: history } : {}),
    [desiredReplicasAnnotation]: String(sizes.desired),
    [maxReplicasAnnotation]: String(sizes.max),
  };
}
