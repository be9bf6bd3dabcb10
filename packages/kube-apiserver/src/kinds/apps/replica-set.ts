import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, nonNegative } from "../checks.ts";
import { column, containerColumns, selectorCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import type { PodTemplate } from "../pod/pod-types.ts";
import { isReadable, lastingTemplateErrors, matchErrors, requiredSelectorErrors } from "../pod/template-selector.ts";

interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelectorSpec;
  template?: PodTemplate;
}

interface ReplicaSet extends KubeObject {
  spec?: ReplicaSetSpec;
  status?: { replicas?: number; fullyLabeledReplicas?: number; readyReplicas?: number; availableReplicas?: number };
}

const at = fieldPath("spec");

function validateSpec(spec: ReplicaSetSpec, path: FieldPath): FieldError[] {
  return [
    ...nonNegative(spec.replicas, path.child("replicas")),
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...requiredSelectorErrors(spec, "deployment", path),
    ...(isReadable(spec.selector)
      ? [...matchErrors(spec, path), ...lastingTemplateErrors(spec, "ReplicaSet", path)]
      : [fieldError.invalid(path.child("selector"), spec.selector, "invalid label selector")]),
  ];
}

/** Returns the errors in the replica counts in a status. */
export function replicaStatusErrors(status: NonNullable<ReplicaSet["status"]>): FieldError[] {
  const path = fieldPath("status");
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;
  return [
    ...(["replicas", ...parts] as const).flatMap((field) => nonNegative(status[field], path.child(field))),
    ...parts.flatMap((field) =>
      (status[field] ?? 0) > replicas
        ? [fieldError.invalid(path.child(field), status[field], "cannot be greater than status.replicas")]
        : [],
    ),
    ...(availableReplicas > readyReplicas
      ? [fieldError.invalid(path.child("availableReplicas"), availableReplicas, "cannot be greater than readyReplicas")]
      : []),
  ];
}

/** Strategy for ReplicaSets. @see pkg/registry/apps/replicaset strategy.go */
export const replicaSetStrategy = defineStrategy<ReplicaSet>({
  countsGeneration: true,
  applyDefaults(object) {
    object.spec ??= {};
    object.spec.template ??= {};
    applyPodTemplateDefaults(object.spec.template);
    object.spec.replicas ??= 1;
  },
  prepareForCreate(object) {
    object.status = { replicas: 0 };
  },
  validate: (object) => validateSpec(object.spec ?? {}, at),
  validateUpdate: (object, old) => [
    ...validateSpec(object.spec ?? {}, at),
    ...immutable(object.spec?.selector, old.spec?.selector, at.child("selector")),
  ],
  validateStatusUpdate: (object) => replicaStatusErrors(object.status ?? {}),
  columns: [
    nameColumn,
    column("Desired", (object) => object.spec?.replicas ?? 0, { type: "integer" }),
    column("Current", (object) => object.status?.replicas ?? 0, { type: "integer" }),
    column("Ready", (object) => object.status?.readyReplicas ?? 0, { type: "integer" }),
    ageColumn,
    ...containerColumns<ReplicaSet>((object) => object.spec?.template?.spec?.containers),
    column("Selector", (object) => selectorCell(object.spec?.selector), { wide: true }),
  ],
  scale: {
    specReplicas: ["spec", "replicas"],
    statusReplicas: ["status", "replicas"],
    selector: (object) => selectorCell(object.spec?.selector).replace("<none>", ""),
  },
});
