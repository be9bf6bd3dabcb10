import {
  type Condition,
  type DeepReadonly,
  joinKey,
  type Kind,
  type KubeObject,
  keyOf,
  mutableCopy,
  type NewCondition,
  setCondition,
} from "@kubewright/apimachinery";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@kubewright/client/kinds";
import { rfc3339 } from "@kubewright/clock";
import { asReconciler, enqueueRequestsFromMapFunc, type ReconcileContext } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";

const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";
const classFinalizer = "kubernetes.io/vac-protection";

/**
 * The VolumeAttributesClass kind, whose objects contain volume parameters that can be changed while a volume is in use.
 */
export const VolumeAttributesClass: Kind = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  scope: "Cluster",
};

const claimsOf = ({ metadata, spec }: DeepReadonly<Pod>): string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name}-${name}` : undefined);
    return claim === undefined ? [] : [joinKey(metadata.namespace, claim)];
  });

const isFinished = ({ status }: DeepReadonly<Pod>): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/**
 * Delays the deletion of a claim as long as a pod uses it, and reports in the `Unused` condition since when no pod has
 * referred to the claim.
 *
 * @see kubernetes pkg/controller/volume/pvcprotection
 */
export const addClaimProtection: AddController = ({ controller, clock }) => {
  controller("persistentvolumeclaim-protection-controller")
    .for(PersistentVolumeClaim)
    .watches(Pod, enqueueRequestsFromMapFunc<Pod>(claimsOf), {
      predicates: [(event) => event.type !== "update" || isFinished(event.object)],
    })
    .complete(
      asReconciler(PersistentVolumeClaim, async (claim, { client }) => {
        const key = keyOf(claim);
        const users = async (): Promise<DeepReadonly<Pod>[]> => {
          const pods = await client.list(Pod, { namespace: claim.metadata.namespace });
          return pods.filter((pod) => !isFinished(pod) && claimsOf(pod).includes(key));
        };
        if (claim.metadata.deletionTimestamp === undefined && claim.status?.phase === "Bound") {
          const conditions = mutableCopy(claim.status.conditions ?? []) as Condition[];
          if (setCondition(conditions, unusedCondition((await users()).length > 0), rfc3339(clock.now())))
            await client.status.patch(PersistentVolumeClaim, key, { conditions }).catch(ignoreGone);
        }
        const isUsed = async (): Promise<boolean> => (await users()).some(({ spec }) => spec.nodeName);
        await protect(client, PersistentVolumeClaim, claim, claimFinalizer, isUsed);
      }),
    );
};

const unusedCondition = (isUsed: boolean): NewCondition =>
  isUsed
    ? { type: "Unused", status: "False", reason: "PodUsingPVC", message: "A pod is currently referencing this PVC" }
    : {
        type: "Unused",
        status: "True",
        reason: "NoPodsUsingPVC",
        message: "No pods are currently referencing this PVC",
      };

/** Delays the deletion of a volume as long as it is bound. @see kubernetes pkg/controller/volume/pvprotection */
export const addVolumeProtection: AddController = ({ controller }) => {
  controller("persistentvolume-protection-controller")
    .for(PersistentVolume)
    .complete(
      asReconciler(PersistentVolume, (volume, { client }) =>
        protect(client, PersistentVolume, volume, volumeFinalizer, async () => volume.status?.phase === "Bound"),
      ),
    );
};

/**
 * Delays the deletion of a VolumeAttributesClass as long as a volume or claim refers to it. Servers before 1.34 do not have this kind.
 *
 * @see kubernetes pkg/controller/volume/vacprotection
 */
export const addAttributesClassProtection: AddController = ({ controller, serves }) => {
  if (!serves(VolumeAttributesClass)) return;
  controller("volumeattributesclass-protection-controller")
    .for(VolumeAttributesClass)
    .watches(PersistentVolumeClaim, enqueueRequestsFromMapFunc<PersistentVolumeClaim>(classesOfClaim))
    .watches(PersistentVolume, enqueueRequestsFromMapFunc<PersistentVolume>(classesOfVolume))
    .complete(
      asReconciler(VolumeAttributesClass, async (each, { client }) => {
        const { name } = each.metadata;
        const isUsed = async (): Promise<boolean> =>
          (await client.list(PersistentVolumeClaim)).some((claim) => classesOfClaim(claim).includes(name)) ||
          (await client.list(PersistentVolume)).some((volume) => classesOfVolume(volume).includes(name));
        await protect(client, VolumeAttributesClass, each, classFinalizer, isUsed);
      }),
    );
};

const classesOfClaim = ({ spec, status }: DeepReadonly<PersistentVolumeClaim>): string[] =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== "") as string[];

const classesOfVolume = ({ spec }: DeepReadonly<PersistentVolume>): string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];

async function protect(
  client: ReconcileContext["client"],
  kind: Kind,
  object: DeepReadonly<KubeObject>,
  finalizer: string,
  isUsed: () => Promise<boolean>,
): Promise<void> {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  const isHeld = finalizers.includes(finalizer);
  const write = (next: readonly string[]) =>
    client.patch(kind, object, { metadata: { finalizers: next } }, { optimisticLock: true }).catch(ignoreGone);
  if (deletionTimestamp === undefined && !isHeld) await write([...finalizers, finalizer]);
  if (deletionTimestamp !== undefined && isHeld && !(await isUsed()))
    await write(finalizers.filter((each) => each !== finalizer));
}
