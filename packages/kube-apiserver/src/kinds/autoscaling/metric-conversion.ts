import { isRecord } from "@kubewright/apimachinery";

type Json = Record<string, unknown>;

const record = (value: unknown): Json => (isRecord(value) ? { ...value } : {});

/** Returns an object without its undefined members. */
function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Field names in the older form of a metric, keyed by source and kind of value. */
const amountNames = {
  spec: { value: "targetValue", averageValue: "targetAverageValue", averageUtilization: "targetAverageUtilization" },
  status: {
    value: "currentValue",
    averageValue: "currentAverageValue",
    averageUtilization: "currentAverageUtilization",
  },
} as const;

type Part = keyof typeof amountNames;

/** Converts an `autoscaling/v2` metric to the form used in `autoscaling/v1` annotations. */
export function metricToV1(metric: Json, part: Part): Json {
  const type = String(metric.type);
  const member = memberOf(type);
  return { type, [member]: sourceToV1(record(metric[member]), type, part) };
}

/** Converts a metric in `autoscaling/v1` annotations to `autoscaling/v2`. */
export function metricFromV1(metric: Json, part: Part): Json {
  const type = String(metric.type);
  const member = memberOf(type);
  return { type, [member]: sourceFromV1(record(metric[member]), type, part) };
}

const memberOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

function sourceToV1(source: Json, type: string, part: Part): Json {
  const names = amountNames[part];
  const amount = record(part === "spec" ? source.target : source.current);
  const metric = record(source.metric);
  const byValue = { [names.averageValue]: amount.averageValue };
  switch (type) {
    case "Object":
      return present({
        target: source.describedObject,
        metricName: metric.name,
        [names.value]: amount.value ?? "0",
        selector: metric.selector,
        averageValue: amount.averageValue,
      });
    case "Pods":
      return present({ metricName: metric.name, ...byValue, selector: metric.selector });
    case "External":
      return present({
        metricName: metric.name,
        metricSelector: metric.selector,
        [names.value]: amount.value,
        ...byValue,
      });
    default:
      return present({
        name: source.name,
        [names.averageUtilization]: amount.averageUtilization,
        ...byValue,
        container: source.container,
      });
  }
}

function sourceFromV1(source: Json, type: string, part: Part): Json {
  const names = amountNames[part];
  const isObject = type === "Object";
  const values = present({
    value: isObject && source.averageValue !== undefined ? undefined : source[names.value],
    averageValue: isObject ? source.averageValue : source[names.averageValue],
    averageUtilization: source[names.averageUtilization],
  });
  const measured = part === "spec" ? { target: { type: targetType(values), ...values } } : { current: values };
  const metric = present({ name: source.metricName, selector: source.selector ?? source.metricSelector });
  if (isObject) return present({ describedObject: source.target, metric, ...measured });
  if (type === "Pods" || type === "External") return { metric, ...measured };
  return present({ name: source.name, container: source.container, ...measured });
}

const targetType = ({ averageUtilization, averageValue }: Json): string =>
  averageUtilization !== undefined ? "Utilization" : averageValue !== undefined ? "AverageValue" : "Value";
