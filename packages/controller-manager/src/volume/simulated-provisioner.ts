import { type DeepReadonly, ignoreAlreadyExists, ignoreNotFound, joinKey } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/client/kinds";
import { asReconciler, type ReconcileContext } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { selectedNode } from "./sync-claim.ts";
import { provisionedBy } from "./sync-volume.ts";
import { classOf } from "./volume-match.ts";

/** Name by which storage classes refer to the simulated provisioner. */
const provisioner = "sim.kubewright.dev/volumes";
const provisionerAnnotation = "volume.kubernetes.io/storage-provisioner";

/**
 * Creates and deletes volumes for claims that use the default storage class `standard`. These volumes have no storage.
 */
export const addSimulatedProvisioner: AddController = ({ manager, controller, clock }) => {
  manager.add({
    async run(signal) {
      for (let isThere = false; !isThere && !signal.aborted; ) {
        isThere = await offerStandardClass(manager.client).catch(() => false);
        if (!isThere) await clock.sleep(500, signal);
      }
    },
  });
  controller("simulated-provisioner")
    .for(PersistentVolumeClaim)
    .complete(asReconciler(PersistentVolumeClaim, provision));
  controller("simulated-provisioner-reclaim")
    .for(PersistentVolume)
    .complete(
      asReconciler(PersistentVolume, async (volume, { client }) => {
        const isOurs = volume.metadata.annotations?.[provisionedBy] === provisioner;
        const isDone = volume.status?.phase === "Released" && volume.spec?.persistentVolumeReclaimPolicy === "Delete";
        if (isOurs && isDone && volume.metadata.deletionTimestamp === undefined)
          await client.delete(PersistentVolume, volume).catch(ignoreGone);
      }),
    );
};

async function offerStandardClass(client: Writer): Promise<true> {
  const metadata = { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } };
  const standard = { metadata, provisioner, reclaimPolicy: "Delete", volumeBindingMode: "Immediate" };
  await client.create(StorageClass, standard).catch(ignoreAlreadyExists);
  return true;
}

async function provision(claim: DeepReadonly<PersistentVolumeClaim>, { client }: ReconcileContext): Promise<void> {
  const { annotations = {}, uid = "", namespace, name, deletionTimestamp } = claim.metadata;
  if (claim.spec?.volumeName || annotations[provisionerAnnotation] !== provisioner || deletionTimestamp !== undefined)
    return;
  const storageClass = await client.get(StorageClass, { name: classOf(claim) || "none" }).catch(ignoreNotFound);
  if (!storageClass) return;
  const node = annotations[selectedNode];
  const volume = {
    metadata: { name: `pvc-${uid}`, annotations: { [provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.storage ?? "1Gi" },
      accessModes: [...(claim.spec?.accessModes ?? ["ReadWriteOnce"])],
      volumeMode: claim.spec?.volumeMode ?? "Filesystem",
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name,
      hostPath: { path: `/volumes/${joinKey(namespace, name)}` },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: namespace ?? "", name, uid },
      ...(claim.spec?.volumeAttributesClassName
        ? { volumeAttributesClassName: claim.spec.volumeAttributesClassName }
        : {}),
      ...(node && storageClass.volumeBindingMode === "WaitForFirstConsumer" ? { nodeAffinity: on(node) } : {}),
    },
  };
  await client.create(PersistentVolume, volume).catch(ignoreAlreadyExists);
}

const on = (node: string) => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] }],
  },
});
