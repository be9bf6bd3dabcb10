import { type DeepReadonly, ignoreNotFound, jsonEqual, type Kind, type KubeObject } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/client/kinds";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { controllerReference } from "../workload/pod-from-template.ts";
import { claimsOf } from "./stateful-pod.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type References = NonNullable<Claim["metadata"]["ownerReferences"]>;

/**
 * Applies a stateful set's retention policy to the claims of one of its pods by setting the claims' owners. Claims
 * owned by the set are deleted together with the set; claims owned by the pod are deleted when the set is scaled down.
 * Claims that belong to a different controller are not changed.
 *
 * @param isSurplus true if the set has been scaled down below this pod
 *
 * @see kubernetes pkg/controller/statefulset stateful_set_utils.go updateClaimOwnerRefForSetAndPod
 */
export async function keepClaimOwners(
  client: ReadWriter,
  set: DeepReadonly<StatefulSet>,
  pod: DeepReadonly<Pod>,
  ordinal: number,
  isSurplus: boolean,
): Promise<void> {
  for (const { metadata } of claimsOf(set, ordinal)) {
    const key = { namespace: set.metadata.namespace, name: metadata.name ?? "" };
    const claim = await client.get(PersistentVolumeClaim, key).catch(ignoreNotFound);
    if (!claim) continue;
    const wanted = ownersOf(claim, set, pod, isSurplus);
    if (jsonEqual(wanted, claim.metadata.ownerReferences ?? [])) continue;
    const changes = { metadata: { ownerReferences: wanted.length > 0 ? wanted : null } };
    await client.patch(PersistentVolumeClaim, claim, changes, { optimisticLock: true }).catch(ignoreGone);
  }
}

/** Returns the owner references that a claim should have. */
export function ownersOf(
  claim: Claim,
  set: DeepReadonly<StatefulSet>,
  pod: DeepReadonly<Pod>,
  isSurplus: boolean,
): References {
  const references = claim.metadata.ownerReferences ?? [];
  const isOurs = (each: References[number]): boolean => names(each, StatefulSet, set) || names(each, Pod, pod);
  const others = references.filter((each) => !isOurs(each));
  if (others.some(({ controller }) => controller)) return others;
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === "Delete" && isSurplus) return [...others, controllerReference(Pod, pod)];
  if (whenDeleted === "Delete" && !isSurplus) return [...others, controllerReference(StatefulSet, set)];
  if (whenDeleted === "Delete" && whenScaled !== "Delete") return [...others, controllerReference(StatefulSet, set)];
  return others;
}

/** True if a claim belongs to a deleted pod with this name and will be deleted with that pod. */
export const isStale = ({ metadata }: Claim, podName: string): boolean =>
  metadata.ownerReferences?.some(({ kind, name }) => kind === "Pod" && name === podName) ?? false;

const names = ({ kind, name }: References[number], of: Kind, { metadata }: DeepReadonly<KubeObject>): boolean =>
  kind === of.kind && name === metadata.name;
