import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { atMostAll, type IntOrString, immutable, intOrPercent, isZero, nonNegative } from "../checks.ts";
import { column, containerColumns, selectorCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import type { PodTemplate } from "../pod/pod-types.ts";
import { isReadable, lastingTemplateErrors, matchErrors, requiredSelectorErrors } from "../pod/template-selector.ts";

interface DeploymentSpec {
  replicas?: number;
  selector?: LabelSelectorSpec;
  template?: PodTemplate;
  strategy?: { type?: string; rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString } };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
}

interface Deployment extends KubeObject {
  spec?: DeploymentSpec;
  status?: { replicas?: number; updatedReplicas?: number; readyReplicas?: number; availableReplicas?: number };
}

const noDeadline = 2 ** 31 - 1;

function validateSpec(spec: DeploymentSpec, at: FieldPath): FieldError[] {
  const { minReadySeconds, progressDeadlineSeconds } = spec;
  const isTooShort =
    progressDeadlineSeconds !== undefined &&
    progressDeadlineSeconds !== noDeadline &&
    progressDeadlineSeconds <= (minReadySeconds ?? 0);
  return [
    ...nonNegative(spec.replicas, at.child("replicas")),
    ...requiredSelectorErrors(spec, "deployment", at),
    ...(isReadable(spec.selector)
      ? [...matchErrors(spec, at), ...lastingTemplateErrors(spec, "ReplicaSet", at)]
      : [fieldError.invalid(at.child("selector"), spec.selector, "invalid label selector")]),
    ...strategyErrors(spec.strategy ?? {}, at.child("strategy")),
    ...nonNegative(minReadySeconds, at.child("minReadySeconds")),
    ...nonNegative(spec.revisionHistoryLimit, at.child("revisionHistoryLimit")),
    ...nonNegative(progressDeadlineSeconds, at.child("progressDeadlineSeconds")),
    ...(isTooShort
      ? [
          fieldError.invalid(
            at.child("progressDeadlineSeconds"),
            progressDeadlineSeconds,
            "must be greater than minReadySeconds",
          ),
        ]
      : []),
  ];
}

function strategyErrors({ type, rollingUpdate }: NonNullable<DeploymentSpec["strategy"]>, at: FieldPath): FieldError[] {
  if (type === "Recreate")
    return rollingUpdate
      ? [fieldError.forbidden(at.child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  if (type !== "RollingUpdate")
    return [fieldError.notSupported(at, { type, rollingUpdate }, ["Recreate", "RollingUpdate"])];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const path = at.child("rollingUpdate");
  return [
    ...intOrPercent(maxUnavailable, path.child("maxUnavailable")),
    ...intOrPercent(maxSurge, path.child("maxSurge")),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [fieldError.invalid(path.child("maxUnavailable"), maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...atMostAll(maxUnavailable, path.child("maxUnavailable")),
  ];
}

const at = fieldPath("spec");
const status = (object: Deployment): NonNullable<Deployment["status"]> => object.status ?? {};

/** Strategy for Deployments. @see pkg/registry/apps/deployment strategy.go */
export const deploymentStrategy = defineStrategy<Deployment>({
  countsGeneration: true,
  generationAlsoCounts: "annotations",
  statusIgnoresMetadata: ["labels"],
  applyDefaults(object) {
    object.spec ??= {};
    const { spec } = object;
    spec.template ??= {};
    applyPodTemplateDefaults(spec.template);
    spec.replicas ??= 1;
    spec.strategy ??= {};
    spec.strategy.type ||= "RollingUpdate";
    if (spec.strategy.type === "RollingUpdate") {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
      spec.strategy.rollingUpdate.maxSurge ??= "25%";
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  prepareForCreate(object) {
    object.status = {};
  },
  validate: (object) => validateSpec(object.spec ?? {}, at),
  validateUpdate: (object, old) => [
    ...validateSpec(object.spec ?? {}, at),
    ...immutable(object.spec?.selector, old.spec?.selector, at.child("selector")),
  ],
  validateStatusUpdate(object) {
    const path = fieldPath("status");
    const fields = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] as const;
    const { replicas = 0 } = status(object);
    const excess = fields.slice(1).flatMap((field) => {
      const count = status(object)[field] ?? 0;
      return count > replicas
        ? [fieldError.invalid(path.child(field), count, "cannot be greater than status.replicas")]
        : [];
    });
    const { availableReplicas = 0, readyReplicas = 0 } = status(object);
    return [
      ...fields.flatMap((field) => nonNegative(status(object)[field], path.child(field))),
      ...excess,
      ...(availableReplicas > readyReplicas
        ? [
            fieldError.invalid(
              path.child("availableReplicas"),
              availableReplicas,
              "cannot be greater than readyReplicas",
            ),
          ]
        : []),
    ];
  },
  columns: [
    nameColumn,
    column("Ready", (object) => `${status(object).readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`),
    column("Up-to-date", (object) => status(object).updatedReplicas ?? 0),
    column("Available", (object) => status(object).availableReplicas ?? 0),
    ageColumn,
    ...containerColumns<Deployment>((object) => object.spec?.template?.spec?.containers),
    column("Selector", (object) => selectorCell(object.spec?.selector), { wide: true }),
  ],
  scale: {
    specReplicas: ["spec", "replicas"],
    statusReplicas: ["status", "replicas"],
    selector: (object) => selectorCell(object.spec?.selector).replace("<none>", ""),
  },
});
