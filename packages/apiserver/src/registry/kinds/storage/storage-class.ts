import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { immutable } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface StorageClass extends KubeObject {
  provisioner?: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowVolumeExpansion?: boolean;
}

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

function validate({ provisioner, reclaimPolicy, volumeBindingMode }: StorageClass): FieldError[] {
  return [
    ...(provisioner ? [] : [fieldError.required("provisioner")]),
    ...(reclaimPolicy && !["Delete", "Retain"].includes(reclaimPolicy)
      ? [fieldError.notSupported("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"])]
      : []),
    ...(volumeBindingMode && !["Immediate", "WaitForFirstConsumer"].includes(volumeBindingMode)
      ? [fieldError.notSupported("volumeBindingMode", volumeBindingMode, ["Immediate", "WaitForFirstConsumer"])]
      : []),
  ];
}

/** @see pkg/registry/storage/storageclass strategy.go */
export const storageClassStrategy = defineStrategy<StorageClass>({
  returnDeletedObject: true,
  applyDefaults(storageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate,
  validateUpdate: (next, old) => [
    ...validate(next),
    ...(["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((field) =>
      immutable(next[field], old[field], fieldPath(field)),
    ),
  ],
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata }) =>
        defaultAnnotations.some((key) => metadata.annotations?.[key] === "true")
          ? `${metadata.name} (default)`
          : metadata.name,
    },
    column("Provisioner", ({ provisioner }) => provisioner ?? ""),
    column("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
    column("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
    column("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
    ageColumn,
  ],
});
