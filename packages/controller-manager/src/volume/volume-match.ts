import { type DeepReadonly, labelSelectorFrom, Quantity } from "@kubewright/apimachinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@kubewright/client/kinds";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Returns the class of a claim or volume, or an empty string if it has none. */
export const classOf = ({ metadata, spec }: Claim | Volume): string =>
  metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";

const bytesOf = (quantities: Readonly<Record<string, string>> | undefined): number =>
  Quantity.parse(quantities?.storage ?? "0").toNumber();

const modeOf = ({ spec }: Claim | Volume): string => spec?.volumeMode ?? "Filesystem";

/** True if the volume is reserved for a claim. The volume must name the claim and, if it contains a UID, have the UID of the claim. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}

/**
 * Returns the reason why a volume does not match a claim, worded as in upstream, or `undefined` if it matches.
 *
 * @see kubernetes pkg/controller/volume/persistentvolume checkVolumeSatisfyClaim
 */
export function mismatchOf(volume: Volume, claim: Claim): string | undefined {
  if (bytesOf(claim.spec?.resources?.requests) > bytesOf(volume.spec?.capacity)) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if ((claim.spec?.volumeAttributesClassName ?? "") !== (volume.spec?.volumeAttributesClassName ?? ""))
    return "volumeAttributesClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  const offered = volume.spec?.accessModes ?? [];
  if (!(claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode))) return "incompatible accessMode";
  return undefined;
}

/**
 * Returns the volume for a claim: the volume reserved for it or else the smallest free volume that matches.
 *
 * @param isUsable reports whether a free volume may be used. Default: all free volumes
 *
 * @see kubernetes component-helpers/storage/volume FindMatchingVolume
 */
export function matchingVolume(
  claim: Claim,
  volumes: readonly Volume[],
  isUsable: (volume: Volume) => boolean = () => true,
): Volume | undefined {
  const reserved = volumes.find((volume) => isReservedFor(volume, claim) && mismatchOf(volume, claim) === undefined);
  if (reserved) return reserved;
  const selector = labelSelectorFrom(claim.spec?.selector ?? {});
  const [smallest] = volumes
    .filter(
      (volume) =>
        volume.spec?.claimRef === undefined &&
        volume.metadata.deletionTimestamp === undefined &&
        volume.status?.phase === "Available" &&
        selector.matches(volume.metadata.labels) &&
        mismatchOf(volume, claim) === undefined &&
        isUsable(volume),
    )
    .sort(
      (a, b) => bytesOf(a.spec?.capacity) - bytesOf(b.spec?.capacity) || (a.metadata.name < b.metadata.name ? -1 : 1),
    );
  return smallest;
}
