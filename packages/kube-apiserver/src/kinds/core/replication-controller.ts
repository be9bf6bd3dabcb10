import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  ownMember,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { replicaStatusErrors } from "../apps/replica-set.ts";
import { nonNegative } from "../checks.ts";
import { column, containerColumns, labelsCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import type { PodTemplate } from "../pod/pod-types.ts";
import { lastingTemplateErrors, shownLabels } from "../pod/template-selector.ts";

interface ControllerSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: PodTemplate;
}

interface ReplicationController extends KubeObject {
  spec?: ControllerSpec;
  status?: { replicas?: number; readyReplicas?: number };
}

const at = fieldPath("spec");

function validateSpec(spec: ControllerSpec, path: FieldPath): FieldError[] {
  const { selector = {}, template } = spec;
  const labels = template?.metadata?.labels ?? {};
  const matches = Object.entries(selector).every(([key, value]) => ownMember(labels, key) === value);
  return [
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...(Object.keys(selector).length === 0 ? [fieldError.required(path.child("selector"))] : []),
    ...nonNegative(spec.replicas, path.child("replicas")),
    ...(template ? [] : [fieldError.required(path.child("template"))]),
    ...(template && !matches
      ? [
          fieldError.invalid(
            path.child("template", "metadata", "labels"),
            shownLabels(template.metadata),
            "`selector` does not match template `labels`",
          ),
        ]
      : []),
    ...(template ? lastingTemplateErrors({ template }, "ReplicationController", path) : []),
  ];
}

/** Strategy for ReplicationControllers. @see pkg/registry/core/replicationcontroller strategy.go */
export const replicationControllerStrategy = defineStrategy<ReplicationController>({
  declaredFields: ["spec.replicas", "spec.minReadySeconds"],
  countsGeneration: true,
  defaultGarbageCollectionPolicy: "orphan",
  applyDefaults(object) {
    object.spec ??= {};
    const { spec, metadata } = object;
    applyPodTemplateDefaults(spec.template);
    const labels = spec.template?.metadata?.labels;
    if (labels && Object.keys(labels).length > 0) {
      if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
      if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
    }
    spec.replicas ??= 1;
  },
  prepareForCreate(object) {
    object.status = { replicas: 0 };
  },
  validate: (object) => validateSpec(object.spec ?? {}, at),
  validateStatusUpdate: (object) => replicaStatusErrors(object.status ?? {}),
  columns: [
    nameColumn,
    column("Desired", ({ spec }) => spec?.replicas ?? 0, { type: "integer" }),
    column("Current", ({ status }) => status?.replicas ?? 0, { type: "integer" }),
    column("Ready", ({ status }) => status?.readyReplicas ?? 0, { type: "integer" }),
    ageColumn,
    ...containerColumns<ReplicationController>(({ spec }) => spec?.template?.spec?.containers),
    column("Selector", ({ spec }) => labelsCell(spec?.selector), { wide: true }),
  ],
  selectableFields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
  scale: {
    specReplicas: ["spec", "replicas"],
    statusReplicas: ["status", "replicas"],
    selector: ({ spec }) => labelsCell(spec?.selector).replace("<none>", ""),
  },
});
