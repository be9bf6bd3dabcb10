import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { VersionConverter } from "@kubewright/apiserver/registry";
import type { StoredObject } from "@kubewright/storage";
import { freezeTree } from "@kubewright/storage";
import { metricFromV1, metricToV1 } from "./metric-conversion.ts";

type Json = Record<string, unknown>;

const prefix = "autoscaling.alpha.kubernetes.io/";
const metricsKey = `${prefix}metrics`;
const currentMetricsKey = `${prefix}current-metrics`;
const conditionsKey = `${prefix}conditions`;
const behaviorKey = `${prefix}behavior`;
const keys: ReadonlySet<string> = new Set([metricsKey, currentMetricsKey, conditionsKey, behaviorKey]);

const record = (value: unknown): Json => (isRecord(value) ? { ...value } : {});
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const cpuMetric = (averageUtilization: unknown): Json => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** Returns the CPU utilization of a metric, if the metric has one. It is the only metric for which `v1` has a field. */
function cpuUtilization(metric: Json): unknown {
  const resource = record(metric.resource);
  if (metric.type !== "Resource" || resource.name !== "cpu") return undefined;
  return record(resource.target).averageUtilization;
}

/**
 * Converts an autoscaler from `v2` to `v1`: fields that `v1` does not have become annotations.
 *
 * @see kubernetes pkg/apis/autoscaling/v1 conversion.go
 */
export function autoscalerToV1(object: StoredObject): Unstructured {
  const copy = structuredClone(object) as Unstructured;
  const { metrics, behavior, ...spec } = record(copy.spec);
  const { currentMetrics, conditions, ...status } = record(copy.status);
  const cpu = list(metrics)
    .map(cpuUtilization)
    .find((value) => value !== undefined);
  const others = list(metrics).filter((metric) => cpuUtilization(metric) === undefined);
  const annotations = withoutOurs(copy.metadata.annotations);
  if (others.length > 0) annotations[metricsKey] = JSON.stringify(others.map((metric) => metricToV1(metric, "spec")));
  if (list(currentMetrics).length > 0)
    annotations[currentMetricsKey] = JSON.stringify(list(currentMetrics).map((metric) => metricToV1(metric, "status")));
  if (behavior !== undefined) annotations[behaviorKey] = JSON.stringify(goBehavior(record(behavior)));
  if (list(conditions).length > 0) annotations[conditionsKey] = JSON.stringify(list(conditions).map(conditionToV1));
  const used = list(currentMetrics)
    .map(currentCpu)
    .find((value) => value !== undefined);
  return {
    ...copy,
    apiVersion: "autoscaling/v1",
    metadata: withAnnotations(copy.metadata, annotations),
    spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: {
      currentReplicas: 0,
      desiredReplicas: 0,
      ...status,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  };
}

const conditionToV1 = ({ type, status, lastTransitionTime = null, reason, message }: Json): Json => ({
  type,
  status,
  lastTransitionTime,
  reason,
  message,
});

function currentCpu(metric: Json): unknown {
  const resource = record(metric.resource);
  return metric.type === "Resource" && resource.name === "cpu"
    ? record(resource.current).averageUtilization
    : undefined;
}

/** Converts an autoscaler from `v1` to `v2`, the storage version. */
export function autoscalerFromV1(object: Unstructured): Unstructured {
  const { targetCPUUtilizationPercentage, ...spec } = record(object.spec);
  const { currentCPUUtilizationPercentage, ...status } = record(object.status);
  const given = object.metadata.annotations ?? {};
  const metrics = list(parsed(given[metricsKey])).map((metric) => metricFromV1(metric, "spec"));
  if (targetCPUUtilizationPercentage !== undefined) metrics.push(cpuMetric(targetCPUUtilizationPercentage));
  const behavior = parsed(given[behaviorKey]);
  const current = list(parsed(given[currentMetricsKey])).map((metric) => metricFromV1(metric, "status"));
  const conditions = list(parsed(given[conditionsKey]));
  const usage = [
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: currentCPUUtilizationPercentage } } },
  ];
  const currentMetrics = current.length > 0 ? current : currentCPUUtilizationPercentage === undefined ? null : usage;
  return {
    ...object,
    apiVersion: "autoscaling/v2",
    metadata: withAnnotations(object.metadata, withoutOurs(given)),
    spec: {
      ...spec,
      metrics: metrics.length > 0 ? metrics : [cpuMetric(80)],
      ...(isRecord(behavior) ? { behavior: fromGo(behavior) } : {}),
    },
    status: {
      desiredReplicas: 0,
      ...withoutZero(status),
      currentMetrics,
      ...(conditions.length > 0 ? { conditions } : {}),
    },
  };
}

const withoutOurs = (annotations: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !keys.has(key)));

function withAnnotations<T extends Unstructured["metadata"]>(metadata: T, annotations: Record<string, string>): T {
  const { annotations: _old, ...rest } = metadata;
  return (Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest) as T;
}

/** Returns a status without `currentReplicas` if it is 0, because `v2` omits this value, while `v1` always contains it. */
function withoutZero({ currentReplicas, ...status }: Json): Json {
  return currentReplicas ? { ...status, currentReplicas } : status;
}

/** Parses JSON in an annotation. Like upstream, returns `undefined` if it is not valid. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Converts a scaling behavior to the form of upstream's annotation, which has Go's member names and always contains all members. */
function goBehavior({ scaleUp, scaleDown }: Json): Json {
  return { ScaleUp: goRules(scaleUp), ScaleDown: goRules(scaleDown) };
}

function goRules(rules: unknown): unknown {
  if (!isRecord(rules)) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: list(rules.policies).map(({ type, value, periodSeconds }) => ({
      Type: type,
      Value: value,
      PeriodSeconds: periodSeconds,
    })),
    Tolerance: rules.tolerance ?? null,
  };
}

const toLower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Converts the output of {@link goBehavior} to JSON. */
function fromGo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromGo);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [toLower(name), fromGo(member)]));
}

const converted = new WeakMap<StoredObject, StoredObject>();

/** A converter for autoscalers, which are stored as `v2` and also served as `v1`. */
export const autoscalerConverter: VersionConverter = {
  toServed: (stored) =>
    stored.map((object) => {
      let served = converted.get(object);
      if (!served) {
        served = freezeTree(autoscalerToV1(object));
        converted.set(object, served);
      }
      return served;
    }),
  toStored: autoscalerFromV1,
};
