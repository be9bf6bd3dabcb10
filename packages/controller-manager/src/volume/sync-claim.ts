import { byKey, type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/client/kinds";
import type { ReconcileContext } from "@kubewright/controller";
import { bind, bindCompleted } from "./bind-volume.ts";
import { classOf, isReservedFor, matchingVolume, mismatchOf } from "./volume-match.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;

/** Annotation with the node that the scheduler chose for a claim that is waiting for its first consumer. */
export const selectedNode = "volume.kubernetes.io/selected-node";
const isDefaultClass = "storageclass.kubernetes.io/is-default-class";
const provisionerAnnotations = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];

/**
 * Binds a claim to a volume, or emits an event that explains what the claim is waiting for.
 *
 * @see kubernetes pkg/controller/volume/persistentvolume syncClaim
 */
export async function syncClaim(claim: Claim, context: ReconcileContext): Promise<void> {
  if (claim.metadata.annotations?.[bindCompleted] !== undefined) return await syncBound(claim, context);
  const name = claim.spec?.volumeName ?? "";
  if (name !== "") return await bindToNamedVolume(claim, name, context);
  const { client } = context;
  if (await takeDefaultClass(claim, context)) return;
  const storageClass = await client.get(StorageClass, { name: classOf(claim) || "none" }).catch(ignoreNotFound);
  const waits =
    storageClass?.volumeBindingMode === "WaitForFirstConsumer" &&
    claim.metadata.annotations?.[selectedNode] === undefined;
  const volumes = await client.list(PersistentVolume);
  const volume = matchingVolume(claim, volumes, () => !waits);
  if (volume) return await bind(client, volume, claim);
  await setPending(claim, context);
  if (waits)
    return emit(claim, context, "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  await requestVolume(claim, storageClass, context);
}

/** Sets the default class on a claim that was created before a default class existed. Returns true if the claim was changed. */
async function takeDefaultClass(claim: Claim, { client }: ReconcileContext): Promise<boolean> {
  if (claim.spec?.storageClassName !== undefined || classOf(claim) !== "") return false;
  const classes = await client.list(StorageClass);
  const [newest] = classes
    .filter(({ metadata }) => metadata.annotations?.[isDefaultClass] === "true")
    .sort(
      (a, b) =>
        Date.parse(b.metadata.creationTimestamp ?? "") - Date.parse(a.metadata.creationTimestamp ?? "") || byKey(a, b),
    );
  if (!newest) return false;
  const spec = { storageClassName: newest.metadata.name };
  await client.patch(PersistentVolumeClaim, claim, { spec }, { optimisticLock: true });
  return true;
}

async function requestVolume(
  claim: Claim,
  storageClass: DeepReadonly<StorageClass> | undefined,
  context: ReconcileContext,
): Promise<void> {
  const className = classOf(claim);
  if (className === "") {
    const note = "no persistent volumes available for this claim and no storage class is set";
    return emit(claim, context, "FailedBinding", note);
  }
  if (!storageClass) {
    const note = `storageclass.storage.k8s.io "${className}" not found`;
    return emit(claim, context, "ProvisioningFailed", note, "Warning");
  }
  const { provisioner } = storageClass;
  if (provisioner === "kubernetes.io/no-provisioner") {
    const note = "waiting for a volume to be created manually by the system administrator"; // there is no provisioner
    return emit(claim, context, "FailedBinding", note);
  }
  const { annotations = {} } = claim.metadata;
  if (provisionerAnnotations.some((name) => annotations[name] !== provisioner))
    await context.client.patch(PersistentVolumeClaim, claim, {
      metadata: { annotations: Object.fromEntries(provisionerAnnotations.map((name) => [name, provisioner])) },
    });
  const note =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
    "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  emit(claim, context, "ExternalProvisioning", note);
}

/** Binds a claim to the volume that it names. */
async function bindToNamedVolume(claim: Claim, name: string, context: ReconcileContext): Promise<void> {
  const { client } = context;
  const volume = await client.get(PersistentVolume, { name }).catch(ignoreNotFound);
  if (!volume) return await setPending(claim, context);
  const isFree = volume.spec?.claimRef === undefined;
  const mismatch = isFree ? mismatchOf(volume, claim) : undefined;
  if (mismatch !== undefined) {
    const note = `Cannot bind to requested volume "${name}": ${mismatch}`;
    emit(claim, context, "VolumeMismatch", note, "Warning");
    return await setPending(claim, context);
  }
  if (isFree || isReservedFor(volume, claim)) return await bind(client, volume, claim);
  const note = `volume "${name}" already bound to a different claim.`;
  emit(claim, context, "FailedBinding", note, "Warning");
  await setPending(claim, context);
}

async function syncBound(claim: Claim, context: ReconcileContext): Promise<void> {
  const { client } = context;
  const name = claim.spec?.volumeName ?? "";
  const volume = name === "" ? undefined : await client.get(PersistentVolume, { name }).catch(ignoreNotFound);
  if (!volume)
    return await lose(
      claim,
      context,
      "ClaimLost",
      "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  const { claimRef } = volume.spec ?? {};
  if (claimRef && claimRef.uid !== claim.metadata.uid) {
    const note = "Two claims are bound to the same volume, this one is bound incorrectly";
    return await lose(claim, context, "ClaimMisbound", note);
  }
  if (!claimRef || volume.status?.phase !== "Bound" || claim.status?.phase !== "Bound")
    await bind(client, volume, claim);
}

async function lose(claim: Claim, context: ReconcileContext, reason: string, note: string): Promise<void> {
  if (claim.status?.phase === "Lost") return;
  emit(claim, context, reason, note, "Warning");
  await context.client.status.patch(PersistentVolumeClaim, keyOf(claim), { phase: "Lost" });
}

async function setPending(claim: Claim, { client }: ReconcileContext): Promise<void> {
  if (claim.status?.phase === "Pending") return;
  await client.status.patch(PersistentVolumeClaim, keyOf(claim), { phase: "Pending" });
}

const emit = (
  claim: Claim,
  { recorder }: ReconcileContext,
  reason: string,
  note: string,
  type: "Normal" | "Warning" = "Normal",
): void => recorder.event(claim, { type, reason, note });
