import { type DeepReadonly, ignoreNotFound, joinKey } from "@kubewright/apimachinery";
import { PersistentVolume, PersistentVolumeClaim } from "@kubewright/client/kinds";
import type { ReconcileContext } from "@kubewright/controller";
import { boundByController, setVolumePhase } from "./bind-volume.ts";

type Volume = DeepReadonly<PersistentVolume>;

/** Annotation with the provisioner that created a volume and is responsible for deleting it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";

/**
 * Maintains a volume's phase, and reclaims the volume once its claim has been deleted.
 *
 * @see kubernetes pkg/controller/volume/persistentvolume syncVolume
 */
export async function syncVolume(volume: Volume, context: ReconcileContext): Promise<void> {
  const { client } = context;
  const { claimRef } = volume.spec ?? {};
  if (!claimRef?.uid) return await setVolumePhase(client, volume, "Available");
  const key = joinKey(claimRef.namespace, claimRef.name ?? "");
  const claim = await client.get(PersistentVolumeClaim, key).catch(ignoreNotFound);
  if (claim?.metadata.uid !== claimRef.uid) return await reclaim(volume, context);
  const bound = claim.spec?.volumeName ?? "";
  if (bound === volume.metadata.name) return await setVolumePhase(client, volume, "Bound");
  if (bound === "") return; // the sync of the claim binds it
  if (volume.metadata.annotations?.[provisionedBy] && volume.spec?.persistentVolumeReclaimPolicy === "Delete")
    return await reclaim(volume, context);
  await unbind(volume, context);
}

/** Removes a claim's reservation from a volume. If a user named the claim in the volume, removes only the claim's UID. */
async function unbind(volume: Volume, { client }: ReconcileContext): Promise<void> {
  const isOurs = volume.metadata.annotations?.[boundByController] !== undefined;
  const changes = isOurs
    ? { metadata: { annotations: { [boundByController]: null } }, spec: { claimRef: null } }
    : { spec: { claimRef: { uid: null, resourceVersion: null } } };
  await client.patch(PersistentVolume, volume, changes, { optimisticLock: true });
  await setVolumePhase(client, volume, "Available");
}

async function reclaim(volume: Volume, context: ReconcileContext): Promise<void> {
  const { client, recorder } = context;
  const { phase } = volume.status ?? {};
  if (phase !== "Released" && phase !== "Failed") await setVolumePhase(client, volume, "Released");
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case "Recycle": // the volume has no content to scrub
      recorder.event(volume, { reason: "VolumeRecycled", note: "Volume recycled" });
      return await unbind(volume, context);
    case "Delete": {
      if (volume.metadata.annotations?.[provisionedBy] || phase === "Failed") return;
      const { name } = volume.metadata;
      const note = `error getting deleter volume plugin for volume "${name}": no deletable volume plugin matched`;
      recorder.event(volume, { type: "Warning", reason: "VolumeFailedDelete", note });
      return await setVolumePhase(client, volume, "Failed", note);
    }
  }
}
