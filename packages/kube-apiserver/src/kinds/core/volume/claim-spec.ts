import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Subdomain,
  type LabelSelectorSpec,
  Quantity,
} from "@kubewright/apimachinery";
import { messages, selectorErrors } from "../../checks.ts";

/** A PersistentVolumeClaim's specification. StatefulSets contain it as a template. */
export interface ClaimSpec {
  accessModes?: string[];
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> };
  volumeMode?: string;
  volumeName?: string;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  selector?: LabelSelectorSpec;
  dataSource?: DataSource;
  dataSourceRef?: DataSource & { namespace?: string };
}

interface DataSource {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

export const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes = ["Block", "Filesystem"];

export function applyClaimDefaults(spec: ClaimSpec): void {
  spec.volumeMode ??= "Filesystem";
}

/** Reports whether the older field `dataSource` may have this value. All other values are silently removed. */
const isOldSource = ({ apiGroup = "", kind = "" }: DataSource = {}): boolean =>
  (apiGroup === "" && kind === "PersistentVolumeClaim") ||
  (apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot");

/**
 * Copies the data source between `dataSource` and `dataSourceRef` if only one of them is set.
 *
 * @see pkg/api/persistentvolumeclaim NormalizeDataSources
 */
export function normalizeDataSource(spec: ClaimSpec, old?: Readonly<ClaimSpec>): void {
  if (!old?.dataSource && !isOldSource(spec.dataSource)) delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { namespace: _namespace, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}

function sourceErrors(source: DataSource, at: FieldPath): FieldError[] {
  const { apiGroup = "", kind = "", name = "" } = source;
  return [
    ...(name === "" ? [fieldError.required(at.child("name"))] : []),
    ...(kind === "" ? [fieldError.required(at.child("kind"))] : []),
    ...(apiGroup === "" && kind !== "PersistentVolumeClaim"
      ? [fieldError.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(apiGroup === "" ? [] : messages(apiGroup, isDns1123Subdomain(apiGroup), at.child("apiGroup"))),
  ];
}

function dataSourceErrors({ dataSource, dataSourceRef }: ClaimSpec, at: FieldPath): FieldError[] {
  const isOther =
    dataSource &&
    dataSourceRef &&
    !dataSourceRef.namespace &&
    (["apiGroup", "kind", "name"] as const).some((field) => (dataSource[field] ?? "") !== (dataSourceRef[field] ?? ""));
  return [
    ...(dataSource ? sourceErrors(dataSource, at.child("dataSource")) : []),
    ...(dataSourceRef ? sourceErrors(dataSourceRef, at.child("dataSourceRef")) : []),
    ...(isOther ? [fieldError.invalid(at, {}, "must match dataSourceRef")] : []),
  ];
}

/**
 * Returns the errors in a PersistentVolumeClaim's specification.
 *
 * @see pkg/apis/core/validation ValidatePersistentVolumeClaimSpec
 */
export function validateClaimSpec(spec: ClaimSpec, at: FieldPath): FieldError[] {
  const modes = spec.accessModes ?? [];
  const storage = spec.resources?.requests?.storage;
  const storagePath = at.child("resources").key("storage");
  return [
    ...(modes.length === 0 ? [fieldError.required(at.child("accessModes"), "at least 1 access mode is required")] : []),
    ...selectorErrors(spec.selector, at.child("selector")),
    ...modes.flatMap((mode) =>
      accessModes.includes(mode) ? [] : [fieldError.notSupported(at.child("accessModes"), mode, accessModes)],
    ),
    ...(modes.includes("ReadWriteOncePod") && accessModes.slice(0, 3).some((mode) => modes.includes(mode))
      ? [fieldError.forbidden(at.child("accessModes"), "may not use ReadWriteOncePod with other access modes")]
      : []),
    ...(storage === undefined
      ? [fieldError.required(storagePath)]
      : Quantity.parse(storage).nanos <= 0n
        ? [fieldError.invalid(storagePath, Quantity.parse(storage).toString(), "must be greater than zero")]
        : []),
    ...(spec.storageClassName
      ? messages(spec.storageClassName, isDns1123Subdomain(spec.storageClassName), at.child("storageClassName"))
      : []),
    ...(spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode)
      ? [fieldError.notSupported(at.child("volumeMode"), spec.volumeMode, volumeModes)]
      : []),
    ...dataSourceErrors(spec, at),
  ];
}
