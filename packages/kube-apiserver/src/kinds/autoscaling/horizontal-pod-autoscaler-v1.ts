import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { KindStrategy } from "@kubewright/apiserver/registry";
import type { StoredObject } from "@kubewright/storage";
import { autoscalerFromV1 } from "./autoscaler-conversion.ts";
import { horizontalPodAutoscalerStrategy } from "./horizontal-pod-autoscaler.ts";

const newer = (object: StoredObject): Unstructured => autoscalerFromV1(structuredClone(object) as Unstructured);

/**
 * Strategy for `v1` autoscalers. It converts them to `v2` and applies the rules for `v2`.
 *
 * @see pkg/registry/autoscaling/horizontalpodautoscaler strategy.go
 */
export const horizontalPodAutoscalerV1Strategy: KindStrategy<Unstructured> = {
  countsGeneration: true,
  declaredFields: horizontalPodAutoscalerStrategy.declaredFields,
  applyDefaults(object) {
    object.spec ??= {};
    if (isRecord(object.spec)) object.spec.minReplicas ??= 1;
  },
  prepareForCreate(object) {
    object.status = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate: (object, context) => horizontalPodAutoscalerStrategy.validate?.(newer(object), context) ?? [],
  validateUpdate: (object, old, context) =>
    horizontalPodAutoscalerStrategy.validateUpdate?.(newer(object), newer(old as StoredObject), context) ?? [],
  columns: (horizontalPodAutoscalerStrategy.columns ?? []).map((column) => ({
    ...column,
    cell: (object, nowMs) => column.cell(newer(object), nowMs),
  })),
};
