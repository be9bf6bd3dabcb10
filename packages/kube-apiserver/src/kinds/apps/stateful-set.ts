import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { atMostAll, type IntOrString, immutable, intOrPercent, isZero, messages, nonNegative } from "../checks.ts";
import { column, containerColumns, selectorCell } from "../columns.ts";
import { applyClaimDefaults, type ClaimSpec, validateClaimSpec } from "../core/volume/claim-spec.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import type { PodTemplate } from "../pod/pod-types.ts";
import { isReadable, lastingTemplateErrors, matchErrors, requiredSelectorErrors } from "../pod/template-selector.ts";

interface ClaimTemplate {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string };
  spec?: ClaimSpec;
  status?: { phase?: string };
}

interface StatefulSetSpec {
  replicas?: number;
  selector?: LabelSelectorSpec;
  template?: PodTemplate;
  serviceName?: string;
  podManagementPolicy?: string;
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString } };
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  ordinals?: { start?: number };
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  volumeClaimTemplates?: ClaimTemplate[];
}

interface StatefulSet extends KubeObject {
  spec?: StatefulSetSpec;
  status?: { replicas?: number; readyReplicas?: number; availableReplicas?: number; [field: string]: unknown };
}

const at = fieldPath("spec");
const retentionPolicies = ["Retain", "Delete"];

function validateSpec(spec: StatefulSetSpec, path: FieldPath): FieldError[] {
  const { podManagementPolicy = "", persistentVolumeClaimRetentionPolicy: retention } = spec;
  return [
    ...(["OrderedReady", "Parallel"].includes(podManagementPolicy)
      ? []
      : [
          fieldError.invalid(
            path.child("podManagementPolicy"),
            podManagementPolicy,
            "must be 'OrderedReady' or 'Parallel'",
          ),
        ]),
    ...updateErrors(spec.updateStrategy ?? {}, path.child("updateStrategy")),
    ...(["whenDeleted", "whenScaled"] as const).flatMap((field) =>
      retention && !retentionPolicies.includes(retention[field] ?? "")
        ? [
            fieldError.notSupported(
              path.child("persistentVolumeClaimRetentionPolicy", field),
              retention[field] ?? "",
              retentionPolicies,
            ),
          ]
        : [],
    ),
    ...nonNegative(spec.replicas, path.child("replicas")),
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...nonNegative(spec.ordinals?.start, path.child("ordinals.start")),
    ...requiredSelectorErrors(spec, "statefulset", path),
    ...(isReadable(spec.selector)
      ? [...matchErrors(spec, path), ...lastingTemplateErrors(withClaimVolumes(spec), "StatefulSet", path)]
      : [fieldError.invalid(path.child("selector"), spec.selector, "")]),
  ];
}

/** Returns the spec with a volume for each claim template, because the set creates these claims for its pods. */
function withClaimVolumes(spec: StatefulSetSpec): StatefulSetSpec {
  const names = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? "");
  const own = spec.template?.spec?.volumes ?? [];
  const added = names
    .filter((name) => !own.some((volume) => volume.name === name))
    .map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  if (!spec.template || added.length === 0) return spec;
  return { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, volumes: [...added, ...own] } } };
}

/** Formats a rolling update strategy like upstream's internal type, for error messages. */
const internalRollingUpdate = (update: { partition?: number; maxUnavailable?: IntOrString }): unknown => ({
  Partition: update.partition ?? 0,
  MaxUnavailable: update.maxUnavailable ?? null,
});

function updateErrors(strategy: NonNullable<StatefulSetSpec["updateStrategy"]>, path: FieldPath): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (!type) return [fieldError.required(path)];
  if (type === "OnDelete")
    return rollingUpdate
      ? [
          fieldError.invalid(
            path.child("rollingUpdate"),
            internalRollingUpdate(rollingUpdate),
            "only allowed for updateStrategy 'RollingUpdate'",
          ),
        ]
      : [];
  if (type !== "RollingUpdate")
    return [
      fieldError.invalid(
        path,
        { Type: type, RollingUpdate: rollingUpdate ? internalRollingUpdate(rollingUpdate) : null },
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    ];
  const inner = path.child("rollingUpdate");
  const { maxUnavailable } = rollingUpdate ?? {};
  return [
    ...nonNegative(rollingUpdate?.partition, inner.child("partition")),
    ...intOrPercent(maxUnavailable, inner.child("maxUnavailable")),
    ...(maxUnavailable !== undefined && isZero(maxUnavailable)
      ? [fieldError.invalid(inner.child("maxUnavailable"), maxUnavailable, "cannot be 0")]
      : []),
    ...atMostAll(maxUnavailable, inner.child("maxUnavailable")),
  ];
}

const fixedFields = ["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"] as const;

/** Strategy for StatefulSets. @see pkg/registry/apps/statefulset strategy.go */
export const statefulSetStrategy = defineStrategy<StatefulSet>({
  countsGeneration: true,
  applyDefaults(object) {
    object.spec ??= {};
    const { spec } = object;
    spec.template ??= {};
    applyPodTemplateDefaults(spec.template);
    spec.podManagementPolicy ||= "OrderedReady";
    spec.updateStrategy ??= {};
    if (!spec.updateStrategy.type) {
      spec.updateStrategy.type = "RollingUpdate";
      spec.updateStrategy.rollingUpdate ??= {};
    }
    if (spec.updateStrategy.type === "RollingUpdate" && spec.updateStrategy.rollingUpdate) {
      spec.updateStrategy.rollingUpdate.partition ??= 0;
      spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    }
    spec.persistentVolumeClaimRetentionPolicy ??= {};
    spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
    spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = "v1";
      claim.kind = "PersistentVolumeClaim";
      claim.spec ??= {};
      applyClaimDefaults(claim.spec);
      claim.status = { ...claim.status, phase: "Pending" };
    }
  },
  prepareForCreate(object) {
    object.status = { replicas: 0, availableReplicas: 0 };
  },
  validate: ({ spec = {} }) => [
    ...(spec.serviceName ? messages(spec.serviceName, isDns1123Label(spec.serviceName), at.child("serviceName")) : []),
    ...validateSpec(spec, at),
    ...(spec.volumeClaimTemplates ?? []).flatMap((claim, i) =>
      validateClaimSpec(claim.spec ?? {}, at.child("volumeClaimTemplates").index(i).child("spec")),
    ),
  ],
  validateUpdate: (object, old) => [
    ...validateSpec(object.spec ?? {}, at),
    ...fixedFields.flatMap((field) => immutable(object.spec?.[field], old.spec?.[field], at.child(field))),
  ],
  columns: [
    nameColumn,
    column("Ready", (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`),
    ageColumn,
    ...containerColumns<StatefulSet>((object) => object.spec?.template?.spec?.containers),
  ],
  scale: {
    specReplicas: ["spec", "replicas"],
    statusReplicas: ["status", "replicas"],
    selector: (object) => selectorCell(object.spec?.selector).replace("<none>", ""),
  },
});
