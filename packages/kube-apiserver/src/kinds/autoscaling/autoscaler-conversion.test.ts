import type { Unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { autoscalerFromV1, autoscalerToV1 } from "./autoscaler-conversion.ts";

const scaler = (spec: object, status: object = {}): Unstructured => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h", annotations: { mine: "kept" } },
  spec,
  status,
});

it("stores members that v1 lacks in annotations, and restores them", () => {
  const original = scaler(
    {
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "10Mi" } } },
        { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } },
        {
          type: "Object",
          object: {
            describedObject: { kind: "S", name: "s" },
            metric: { name: "o" },
            target: { type: "Value", value: "3" },
          },
        },
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
      ],
      behavior: { scaleUp: { selectPolicy: "Max", policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] } },
    },
    {
      desiredReplicas: 3,
      currentReplicas: 2,
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 44 } } }],
      conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: "t", reason: "R", message: "m" }],
    },
  );
  const older = autoscalerToV1(original);
  expect(older).toMatchObject({
    apiVersion: "autoscaling/v1",
    spec: { maxReplicas: 5, targetCPUUtilizationPercentage: 70 },
    status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 44 },
  });
  expect(Object.keys(older.metadata.annotations ?? {}).sort()).toEqual([
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/metrics",
    "mine",
  ]);
  expect(autoscalerFromV1(older)).toEqual(original);
});

it("uses the CPU metric if v1 has none", () => {
  expect(autoscalerFromV1({ ...scaler({ maxReplicas: 1 }), apiVersion: "autoscaling/v1" }).spec).toEqual({
    maxReplicas: 1,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  });
});
