import { type FieldError, fieldError, fieldPath, type KubeObject, Quantity } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { nonNegative, positive } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { type Metric, metricErrors, referenceErrors } from "./metric-validation.ts";
import { type Behavior, behaviorErrors } from "./scaling-rules.ts";

/** An autoscaler in the form of `autoscaling/v2`, the storage version. */
interface HorizontalPodAutoscaler extends KubeObject {
  spec?: {
    scaleTargetRef?: { kind?: string; name?: string; apiVersion?: string };
    minReplicas?: number;
    maxReplicas?: number;
    metrics?: Metric[];
    behavior?: Behavior;
  };
  status?: { currentReplicas?: number; desiredReplicas?: number; currentMetrics?: Metric[] | null };
}

const at = fieldPath("spec");

function validate({ spec = {} }: HorizontalPodAutoscaler, isKnownTarget = false): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef = {} } = spec;
  // in the core group, only one kind is scalable; a stored reference is not checked again
  const target = referenceErrors(
    scaleTargetRef,
    at.child("scaleTargetRef"),
    scaleTargetRef.kind !== "ReplicationController",
  ).filter(({ field }) => !isKnownTarget || !field.endsWith(".apiVersion"));
  return [
    ...nonNegative(minReplicas, at.child("minReplicas")),
    ...(maxReplicas === 0
      ? [fieldError.required(at.child("maxReplicas"))]
      : positive(maxReplicas, at.child("maxReplicas")).map((error) => ({
          ...error,
          detail: "must be greater than or equal to 1",
        }))),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [fieldError.invalid(at.child("maxReplicas"), maxReplicas, "must be greater than or equal to `minReplicas`")]
      : []),
    ...target,
    ...(spec.metrics ?? []).flatMap((metric, i) => metricErrors(metric, at.child("metrics").index(i))),
    ...(minReplicas === 0 && !(spec.metrics ?? []).some(({ type }) => type === "Object" || type === "External")
      ? [
          fieldError.forbidden(
            at.child("metrics"),
            "must specify at least one Object or External metric to support scaling to zero replicas",
          ),
        ]
      : []),
    ...behaviorErrors(spec.behavior, at.child("behavior")),
  ];
}

const doubling = { type: "Percent", value: 100, periodSeconds: 15 };

/** Sets the defaults in an autoscaler's scaling behavior. @see pkg/apis/autoscaling/v2 SetDefaults_HorizontalPodAutoscalerBehavior */
function applyBehaviorDefaults(behavior: Behavior | undefined): void {
  if (!behavior) return;
  const { scaleUp, scaleDown } = behavior;
  const policies = [{ type: "Pods", value: 4, periodSeconds: 15 }, doubling];
  behavior.scaleUp = {
    selectPolicy: "Max",
    stabilizationWindowSeconds: 0,
    policies,
    ...scaleUp,
  };
  behavior.scaleDown = { selectPolicy: "Max", policies: [{ ...doubling }], ...scaleDown };
}

function targetsCell({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, 2).map(({ type, resource }, i) => {
    if (type !== "Resource" || !resource) return "<unknown>";
    const current = status?.currentMetrics?.[i]?.resource?.current;
    const { averageUtilization, averageValue } = resource.target ?? {};
    const name = resource.name ?? "";
    if (averageValue !== undefined)
      return `${name}: ${current?.averageValue ? Quantity.parse(current.averageValue) : "<unknown>"}/${Quantity.parse(averageValue)}`;
    const used = current?.averageUtilization;
    return `${name}: ${used === undefined ? "<unknown>" : `${used}%`}/${averageUtilization === undefined ? "<auto>" : `${averageUtilization}%`}`;
  });
  const more = metrics.length - shown.length;
  return more > 0 ? `${shown.join(", ")} + ${more} more...` : shown.join(", ");
}

/** Strategy for HorizontalPodAutoscalers. @see pkg/registry/autoscaling/horizontalpodautoscaler strategy.go */
export const horizontalPodAutoscalerStrategy = defineStrategy<HorizontalPodAutoscaler>({
  declaredFields: ["spec.minReplicas", "spec.maxReplicas"],
  countsGeneration: true,
  applyDefaults(scaler) {
    scaler.spec ??= {};
    scaler.spec.minReplicas ??= 1;
    if (!scaler.spec.metrics?.length)
      scaler.spec.metrics = [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ];
    applyBehaviorDefaults(scaler.spec.behavior);
  },
  prepareForCreate(scaler) {
    scaler.status = { currentMetrics: null, desiredReplicas: 0 };
  },
  validate: (scaler) => validate(scaler),
  validateUpdate(scaler, old) {
    const [next, before] = [scaler.spec?.scaleTargetRef ?? {}, old.spec?.scaleTargetRef ?? {}];
    return validate(scaler, next.apiVersion === before.apiVersion && next.kind === before.kind);
  },
  columns: [
    nameColumn,
    column("Reference", ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`),
    column("Targets", targetsCell),
    column("MinPods", ({ spec }) => (spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas))),
    column("MaxPods", ({ spec }) => spec?.maxReplicas ?? 0),
    column("Replicas", ({ status }) => status?.currentReplicas ?? 0),
    ageColumn,
  ],
});
