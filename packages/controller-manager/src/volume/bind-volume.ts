import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { PersistentVolume, PersistentVolumeClaim } from "@kubewright/client/kinds";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

/**
 * Annotation that the controller sets when it binds a volume to a claim. The controller may undo bindings with this
 * annotation.
 */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** Annotation on a claim whose binding is complete. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";

const patched = { optimisticLock: true } as const;

/** Reserves a volume for a claim, and returns the updated volume. */
export async function reserve(client: ReadWriter, volume: Volume, claim: Claim): Promise<Volume> {
  const { claimRef } = volume.spec ?? {};
  if (claimRef?.uid === claim.metadata.uid) return volume;
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const reference = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion };
  const annotations = claimRef ? {} : { annotations: { [boundByController]: "yes" } };
  return await client.patch(
    PersistentVolume,
    volume,
    { metadata: annotations, spec: { claimRef: reference } },
    patched,
  );
}

/**
 * Binds a volume and a claim to each other. Every step is idempotent.
 *
 * @throws {StatusError} 409 if the volume or the claim has changed in the meantime
 *
 * @see kubernetes pkg/controller/volume/persistentvolume pv_controller.go bind
 */
export async function bind(client: ReadWriter, volume: Volume, claim: Claim): Promise<void> {
  const reserved = await reserve(client, volume, claim);
  await setVolumePhase(client, reserved, "Bound");
  const { annotations = {} } = claim.metadata;
  const isChosenByUs = (claim.spec?.volumeName ?? "") === "";
  if (isChosenByUs || annotations[bindCompleted] === undefined) {
    const marks = { [bindCompleted]: "yes", ...(isChosenByUs ? { [boundByController]: "yes" } : {}) };
    const { name } = volume.metadata;
    await client.patch(
      PersistentVolumeClaim,
      claim,
      { metadata: { annotations: marks }, spec: { volumeName: name } },
      patched,
    );
  }
  const { accessModes, capacity, volumeAttributesClassName } = volume.spec ?? {};
  await client.status.patch(PersistentVolumeClaim, keyOf(claim), {
    phase: "Bound",
    accessModes,
    capacity,
    ...(volumeAttributesClassName ? { currentVolumeAttributesClassName: volumeAttributesClassName } : {}),
  });
}

type VolumePhase = "Available" | "Bound" | "Released" | "Failed";

/** Sets the phase in a volume's status, unless it already has this value. */
export async function setVolumePhase(
  client: ReadWriter,
  volume: Volume,
  phase: VolumePhase,
  message?: string,
): Promise<void> {
  if (volume.status?.phase === phase && volume.status.message === message) return;
  await client.status.patch(PersistentVolume, volume.metadata.name, { phase, message: message ?? null });
}
