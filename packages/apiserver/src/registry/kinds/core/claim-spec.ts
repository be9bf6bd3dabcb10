import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Subdomain,
  type LabelSelectorSpec,
  Quantity,
} from "@kubewright/apimachinery";
import { messages, selectorErrors } from "../checks.ts";

/** What a PersistentVolumeClaim asks for; also part of StatefulSets. */
export interface ClaimSpec {
  accessModes?: string[];
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> };
  volumeMode?: string;
  volumeName?: string;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  selector?: LabelSelectorSpec;
}

export const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes = ["Block", "Filesystem"];

export function applyClaimDefaults(spec: ClaimSpec): void {
  spec.volumeMode ??= "Filesystem";
}

/** @see pkg/apis/core/validation ValidatePersistentVolumeClaimSpec */
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
  ];
}
