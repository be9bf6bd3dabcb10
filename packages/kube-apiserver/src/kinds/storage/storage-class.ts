import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface StorageClass extends KubeObject {
  provisioner?: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowVolumeExpansion?: boolean;
  allowedTopologies?: TopologyTerm[];
}

interface TopologyTerm {
  matchLabelExpressions?: { key?: string; values?: string[] | null }[];
}

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

const maxParameters = 512;
const maxParameterBytes = 256 * 1024;

/** Returns errors if parameters have an empty key or their total size is too large. */
export function parameterErrors(parameters: Readonly<Record<string, string>>, at: FieldPath): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) return [fieldError.tooLong(at, maxParameters)];
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...(Object.hasOwn(parameters, "") ? [fieldError.invalid(at, "", "field can not be empty.")] : []),
    ...(bytes > maxParameterBytes ? [fieldError.tooLong(at, maxParameterBytes)] : []),
  ];
}

function termErrors({ matchLabelExpressions = [] }: TopologyTerm, at: FieldPath): FieldError[] {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key = "", values }, i) => {
    const path = at.child("matchLabelExpressions").index(i);
    const given = values ?? [];
    const isTaken = keys.has(key);
    keys.add(key);
    return [
      ...(given.length === 0 ? [fieldError.required(path.child("values"))] : []),
      ...given.flatMap((value, j) =>
        given.indexOf(value) < j ? [fieldError.duplicate(path.child("values").index(j), value)] : [],
      ),
      ...messages(key, validateQualifiedName(key), path.child("key")),
      ...(isTaken ? [fieldError.duplicate(path.child("key"), key)] : []),
    ];
  });
}

function topologyErrors(terms: readonly TopologyTerm[]): FieldError[] {
  const at = fieldPath("allowedTopologies");
  const form = ({ matchLabelExpressions = [] }: TopologyTerm): string =>
    JSON.stringify(matchLabelExpressions.map(({ key, values }) => [key, (values ?? []).toSorted()]).toSorted());
  const isEmpty = ({ matchLabelExpressions = [] }: TopologyTerm): boolean => matchLabelExpressions.length === 0;
  return terms.flatMap((term, i) => [
    ...termErrors(term, at.index(i)),
    // upstream compares each term with the preceding terms, and with additional empty terms, as many as there are
    // terms
    ...[...(isEmpty(term) ? terms : []), ...terms.slice(0, i).filter((before) => form(before) === form(term))].map(() =>
      fieldError.duplicate(at.index(i).child("matchLabelExpressions"), ""),
    ),
  ]);
}

function validate(storageClass: StorageClass): FieldError[] {
  const { provisioner, reclaimPolicy, volumeBindingMode } = storageClass;
  return [
    ...(provisioner
      ? messages(provisioner.toLowerCase(), validateQualifiedName(provisioner.toLowerCase()), fieldPath("provisioner"))
      : [fieldError.required("provisioner")]),
    ...parameterErrors(storageClass.parameters ?? {}, fieldPath("parameters")),
    ...(reclaimPolicy && !["Delete", "Retain"].includes(reclaimPolicy)
      ? [fieldError.notSupported("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"])]
      : []),
    ...(volumeBindingMode && !["Immediate", "WaitForFirstConsumer"].includes(volumeBindingMode)
      ? [fieldError.notSupported("volumeBindingMode", volumeBindingMode, ["Immediate", "WaitForFirstConsumer"])]
      : []),
    ...topologyErrors(storageClass.allowedTopologies ?? []),
  ];
}

const shown = <K extends keyof StorageClass>(field: K, of: Readonly<StorageClass>): unknown =>
  of[field] ?? (field === "parameters" ? {} : field === "provisioner" ? "" : undefined);

/** Strategy for StorageClasses. @see pkg/registry/storage/storageclass strategy.go */
export const storageClassStrategy = defineStrategy<StorageClass>({
  declaredFields: ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"],
  returnDeletedObject: true,
  applyDefaults(storageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate,
  validateUpdate: (next, old) => [
    ...validate(next),
    ...(["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((field) =>
      immutable(shown(field, next), shown(field, old), fieldPath(field)),
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
