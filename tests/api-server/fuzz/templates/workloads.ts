import { smallPodSpec } from "./pods.ts";
import { inDefault, metadata, type Template } from "./template.ts";

const labelled = {
  selector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
  template: { metadata: { labels: { a: "b" } }, spec: smallPodSpec },
};
const jobTemplate = { spec: { ...smallPodSpec, restartPolicy: "Never" } };
const autoscaling = "autoscaling";
const condition = { type: "T", status: "True", reason: "R", message: "M" };
const replicas = {
  replicas: 1,
  readyReplicas: 1,
  availableReplicas: 1,
  observedGeneration: 1,
  conditions: [condition],
};

export const workloadTemplates: readonly Template[] = [
  {
    collection: inDefault("apps", "deployments"),
    object: {
      metadata: metadata("d"),
      spec: {
        replicas: 1,
        ...labelled,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } },
        minReadySeconds: 1,
        revisionHistoryLimit: 3,
        progressDeadlineSeconds: 100,
        paused: true,
      },
    },
    status: { ...replicas, updatedReplicas: 1, unavailableReplicas: 0, collisionCount: 1 },
  },
  {
    collection: inDefault("apps", "statefulsets"),
    object: {
      metadata: metadata("ss"),
      spec: {
        serviceName: "s",
        ...labelled,
        podManagementPolicy: "Parallel",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
        ordinals: { start: 1 },
        minReadySeconds: 1,
        volumeClaimTemplates: [
          {
            metadata: { name: "v" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
    status: { ...replicas, currentReplicas: 1, updatedReplicas: 1, currentRevision: "a", updateRevision: "b" },
  },
  {
    collection: inDefault("apps", "daemonsets"),
    object: {
      metadata: metadata("ds"),
      spec: {
        ...labelled,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        minReadySeconds: 1,
        revisionHistoryLimit: 3,
      },
    },
    status: { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 1 },
  },
  {
    collection: inDefault("apps", "replicasets"),
    object: { metadata: metadata("rs"), spec: { replicas: 2, minReadySeconds: 1, ...labelled } },
    status: { ...replicas, fullyLabeledReplicas: 1 },
  },
  {
    collection: inDefault("apps", "controllerrevisions"),
    object: { metadata: metadata("crv"), revision: 1, data: { a: { b: 1 } } },
  },
  {
    collection: inDefault("batch", "jobs"),
    object: {
      metadata: metadata("j"),
      spec: {
        template: jobTemplate,
        completions: 3,
        parallelism: 2,
        completionMode: "Indexed",
        backoffLimitPerIndex: 2,
        maxFailedIndexes: 2,
        backoffLimit: 3,
        activeDeadlineSeconds: 100,
        ttlSecondsAfterFinished: 10,
        suspend: true,
        podReplacementPolicy: "Failed",
        podFailurePolicy: {
          rules: [
            { action: "FailIndex", onExitCodes: { containerName: "c", operator: "In", values: [1, 2] } },
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          ],
        },
        successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] },
        managedBy: "example.com/c",
      },
    },
    status: { active: 1, ready: 0, failed: 1, succeeded: 0, terminating: 0, completedIndexes: "", conditions: [] },
  },
  {
    collection: inDefault("batch", "jobs"),
    object: { metadata: metadata("j-small"), spec: { template: jobTemplate } },
  },
  {
    collection: inDefault("batch", "cronjobs"),
    object: {
      metadata: metadata("cj"),
      spec: {
        schedule: "*/5 1-3 * * mon",
        timeZone: "Europe/Berlin",
        concurrencyPolicy: "Forbid",
        startingDeadlineSeconds: 10,
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 1,
        suspend: false,
        jobTemplate: { metadata: { labels: { a: "b" } }, spec: { backoffLimit: 1, template: jobTemplate } },
      },
    },
    status: { active: [{ kind: "Job", name: "j" }], lastScheduleTime: "2026-01-01T00:00:00Z" },
  },
  {
    collection: inDefault(`/apis/${autoscaling}/v1`, "horizontalpodautoscalers"),
    object: {
      metadata: metadata("h-old"),
      spec: {
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 80,
        scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
      },
    },
    status: { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 50 },
  },
  {
    collection: inDefault(`/apis/${autoscaling}/v2`, "horizontalpodautoscalers"),
    object: {
      metadata: metadata("h"),
      spec: {
        minReplicas: 1,
        maxReplicas: 3,
        scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
          {
            type: "Pods",
            pods: {
              metric: { name: "m", selector: { matchLabels: { a: "b" } } },
              target: { type: "AverageValue", averageValue: "1k" },
            },
          },
          {
            type: "Object",
            object: {
              metric: { name: "m" },
              describedObject: { kind: "Service", name: "s", apiVersion: "v1" },
              target: { type: "Value", value: "10" },
            },
          },
          { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "10" } } },
          {
            type: "ContainerResource",
            containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 50 } },
          },
        ],
        behavior: {
          scaleDown: {
            stabilizationWindowSeconds: 60,
            selectPolicy: "Min",
            policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
          },
          scaleUp: { policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
        },
      },
    },
    status: { currentReplicas: 1, desiredReplicas: 1, conditions: [{ type: "AbleToScale", status: "True" }] },
  },
  {
    collection: inDefault("/apis/policy/v1", "poddisruptionbudgets"),
    object: {
      metadata: metadata("pdb"),
      spec: { minAvailable: "50%", selector: labelled.selector, unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
    status: { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 },
  },
];
