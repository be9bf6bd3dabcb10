import { fieldError, fieldPath, jsonEqual, type KubeObject, Quantity } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { accessModesCell } from "./access-modes.ts";
import { applyClaimDefaults, type ClaimSpec, validateClaimSpec } from "./claim-spec.ts";

interface PersistentVolumeClaim extends KubeObject {
  spec?: ClaimSpec;
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string> };
}

const at = fieldPath("spec");
const legacyClass = "volume.beta.kubernetes.io/storage-class";

/** @see pkg/registry/core/persistentvolumeclaim strategy.go */
export const persistentVolumeClaimStrategy = defineStrategy<PersistentVolumeClaim>({
  returnDeletedObject: true,
  applyDefaults(claim) {
    claim.spec ??= {};
    applyClaimDefaults(claim.spec);
  },
  prepareForCreate(claim) {
    claim.status = { phase: "Pending" };
  },
  validate: (claim) => validateClaimSpec(claim.spec ?? {}, at),
  validateUpdate(claim, old) {
    const fixed = ({ spec }: PersistentVolumeClaim): unknown => ({
      ...spec,
      volumeName: old.spec?.volumeName ? spec?.volumeName : undefined,
      resources: { ...spec?.resources, requests: { ...spec?.resources?.requests, storage: undefined } },
      volumeAttributesClassName: undefined,
    });
    return [
      ...validateClaimSpec(claim.spec ?? {}, at),
      ...(jsonEqual(JSON.parse(JSON.stringify(fixed(claim))), JSON.parse(JSON.stringify(fixed(old))))
        ? []
        : [
            fieldError.forbidden(
              at,
              "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
            ),
          ]),
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
