import {
  type FieldError,
  fieldError,
  fieldPath,
  type KubeObject,
  Quantity,
  semanticEqual,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable } from "../../checks.ts";
import { column } from "../../columns.ts";
import { defineStrategy } from "../../define-strategy.ts";
import { whatChanged } from "../../unchanged.ts";
import { accessModesCell } from "./access-modes.ts";
import { applyClaimDefaults, type ClaimSpec, normalizeDataSource, validateClaimSpec } from "./claim-spec.ts";

interface PersistentVolumeClaim extends KubeObject {
  spec?: ClaimSpec;
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string> };
}

const at = fieldPath("spec");
const legacyClass = "volume.beta.kubernetes.io/storage-class";

/**
 * Reports whether an update sets the class of a claim that had no class. If the claim has the older annotation, only the annotation's class
 * is allowed.
 */
function takesClass({ spec }: PersistentVolumeClaim, old: Readonly<PersistentVolumeClaim>): boolean {
  if (spec?.storageClassName === undefined || old.spec?.storageClassName !== undefined) return false;
  const annotated = old.metadata.annotations?.[legacyClass];
  return annotated === undefined || annotated === spec.storageClassName;
}

/**
 * Returns the spec of a claim without its permitted changes: the specs of `old` and `next` in this form differ only if a change
 * is not permitted.
 */
function comparable(
  of: Readonly<PersistentVolumeClaim>,
  next: PersistentVolumeClaim,
  old: Readonly<PersistentVolumeClaim>,
): ClaimSpec {
  const spec: ClaimSpec = { ...of.spec };
  if (!old.spec?.volumeName && next.spec?.volumeName) spec.volumeName = next.spec.volumeName;
  if (takesClass(next, old)) delete spec.storageClassName;
  if (next.status?.phase !== "Bound") return spec;
  const storage = old.spec?.resources?.requests?.storage;
  if (spec.resources?.requests && storage !== undefined)
    spec.resources = { ...spec.resources, requests: { ...spec.resources.requests, storage } };
  delete spec.volumeAttributesClassName;
  return spec;
}

function shrinkErrors(claim: PersistentVolumeClaim, old: Readonly<PersistentVolumeClaim>): FieldError[] {
  const size = ({ spec }: Readonly<PersistentVolumeClaim>): bigint =>
    Quantity.parse(spec?.resources?.requests?.storage ?? "0").nanos;
  const reached = Quantity.parse(old.status?.capacity?.storage ?? "0").nanos;
  return size(claim) < size(old) && size(claim) <= reached
    ? [fieldError.forbidden(at.child("resources", "requests", "storage"), "field can not be less than status.capacity")]
    : [];
}

/** Strategy for PersistentVolumeClaims. @see pkg/registry/core/persistentvolumeclaim strategy.go */
export const persistentVolumeClaimStrategy = defineStrategy<PersistentVolumeClaim>({
  returnDeletedObject: true,
  applyDefaults(claim) {
    claim.spec ??= {};
    applyClaimDefaults(claim.spec);
    claim.status = { ...claim.status, phase: claim.status?.phase || "Pending" };
  },
  prepareForCreate(claim) {
    normalizeDataSource(claim.spec ?? {});
    claim.status = { phase: "Pending" };
  },
  validate: (claim) => validateClaimSpec(claim.spec ?? {}, at),
  prepareForUpdate(claim, old) {
    normalizeDataSource(claim.spec ?? {}, old.spec);
  },
  validateUpdate(claim, old) {
    const before = comparable(old, claim, old);
    const after = comparable(claim, claim, old);
    return [
      ...validateClaimSpec(claim.spec ?? {}, at),
      ...(semanticEqual(after, before)
        ? []
        : [
            fieldError.forbidden(
              at,
              `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${whatChanged(before, after)}`,
            ),
          ]),
      ...shrinkErrors(claim, old),
      ...immutable(claim.spec?.volumeMode, old.spec?.volumeMode, fieldPath("volumeMode")),
    ];
  },
  columns: [
    nameColumn,
    column("Status", ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? ""))),
    column("Volume", ({ spec }) => spec?.volumeName ?? ""),
    column("Capacity", ({ spec, status }) =>
      spec?.volumeName ? Quantity.parse(status?.capacity?.storage ?? "0").toString() : "",
    ),
    column("Access Modes", ({ spec, status }) => (spec?.volumeName ? accessModesCell(status?.accessModes) : "")),
    column("StorageClass", ({ metadata, spec }) => metadata.annotations?.[legacyClass] ?? spec?.storageClassName ?? ""),
    column("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
    ageColumn,
    column("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>", { wide: true }),
  ],
});
