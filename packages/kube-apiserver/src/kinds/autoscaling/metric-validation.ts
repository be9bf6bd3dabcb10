import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  isPathSegmentName,
  Quantity,
} from "@kubewright/apimachinery";
import { messages } from "../checks.ts";

interface MetricTarget {
  type?: string;
  averageUtilization?: number;
  averageValue?: string;
  value?: string;
}

interface Identifier {
  name?: string;
}

interface Reference {
  kind?: string;
  name?: string;
  apiVersion?: string;
}

export interface Metric {
  type?: string;
  resource?: { name?: string; target?: MetricTarget; current?: MetricTarget };
  containerResource?: { name?: string; container?: string; target?: MetricTarget };
  pods?: { metric?: Identifier; target?: MetricTarget };
  object?: { describedObject?: Reference; metric?: Identifier; target?: MetricTarget };
  external?: { metric?: Identifier; target?: MetricTarget };
}

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];
/** Metric sources in the order of validation. If a metric has several sources, only the first one is validated. */
const members = ["object", "external", "pods", "resource", "containerResource"] as const;

/** Returns the errors in an autoscaler's metric. @see pkg/apis/autoscaling/validation validateMetricSpec */
export function metricErrors(metric: Metric, at: FieldPath): FieldError[] {
  const { type = "" } = metric;
  const unknown = types.includes(type) ? [] : [fieldError.notSupported(at.child("type"), type, types)];
  const present = members.filter((member) => metric[member] !== undefined);
  const expected = members.find((member) => member.toLowerCase() === type.toLowerCase() && types.includes(type));
  const [first] = present;
  return [
    ...(type === "" ? [fieldError.required(at.child("type"), "must specify a metric source type")] : []),
    ...unknown,
    ...(first ? sourceErrors[first](metric, at.child(first)) : []),
    ...(expected && metric[expected] === undefined
      ? [fieldError.required(at.child(expected), "must populate information for the given metric source")]
      : []),
    ...unknown,
    ...(present.length === 1
      ? []
      : present
          .filter((member) => member !== expected)
          .map((member) => fieldError.forbidden(at.child(member), "must populate the given metric source only"))),
  ];
}

/**
 * Returns the errors in an autoscaler's reference to an object.
 *
 * @see pkg/apis/autoscaling/validation ValidateCrossVersionObjectReference
 */
export function referenceErrors(
  { kind = "", name = "", apiVersion = "" }: Reference,
  at: FieldPath,
  needsGroup: boolean,
): FieldError[] {
  return [
    ...(kind === ""
      ? [fieldError.required(at.child("kind"))]
      : messages(kind, isPathSegmentName(kind), at.child("kind"))),
    ...(name === ""
      ? [fieldError.required(at.child("name"))]
      : messages(name, isPathSegmentName(name), at.child("name"))),
    ...versionErrors(apiVersion, at.child("apiVersion"), needsGroup),
  ];
}

function versionErrors(apiVersion: string, at: FieldPath, needsGroup: boolean): FieldError[] {
  if (apiVersion.split("/").length > 2)
    return [fieldError.invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  return needsGroup && !/^[^/]+\//.test(apiVersion)
    ? [fieldError.invalid(at, apiVersion, "apiVersion must specify API group")]
    : [];
}

function identifierErrors({ name = "" }: Identifier, at: FieldPath): FieldError[] {
  const path = at.child("name");
  return name === ""
    ? [fieldError.required(path, "must specify a metric name")]
    : messages(name, isPathSegmentName(name), path);
}

function targetErrors(target: MetricTarget, at: FieldPath): FieldError[] {
  const { type = "", value, averageValue, averageUtilization } = target;
  const notPositive = (quantity: string | undefined, path: FieldPath): FieldError[] =>
    quantity !== undefined && Quantity.parse(quantity).nanos <= 0n
      ? [fieldError.invalid(path, quantity, "must be positive")]
      : [];
  return [
    ...(type === "" ? [fieldError.required(at.child("type"), "must specify a metric target type")] : []),
    ...(["Utilization", "Value", "AverageValue"].includes(type)
      ? []
      : [fieldError.invalid(at.child("type"), type, "must be either Utilization, Value, or AverageValue")]),
    ...notPositive(value, at.child("value")),
    ...notPositive(averageValue, at.child("averageValue")),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [fieldError.invalid(at.child("averageUtilization"), averageUtilization, "must be greater than 0")]
      : []),
  ];
}

function usageErrors(target: MetricTarget, at: FieldPath): FieldError[] {
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    return [
      fieldError.required(at.child("averageUtilization"), "must set either a target raw value or a target utilization"),
    ];
  return averageUtilization !== undefined && averageValue !== undefined
    ? [fieldError.forbidden(at.child("averageValue"), "may not set both a target raw value and a target utilization")]
    : [];
}

const sourceErrors: Readonly<Record<(typeof members)[number], (metric: Metric, at: FieldPath) => FieldError[]>> = {
  object({ object: { describedObject = {}, metric = {}, target = {} } = {} }, at) {
    return [
      ...referenceErrors(describedObject, at.child("describedObject"), false),
      ...identifierErrors(metric, at.child("metric")),
      ...targetErrors(target, at.child("target")),
      ...(target.value === undefined && target.averageValue === undefined
        ? [fieldError.required(at.child("target", "averageValue"), "must set either a target value or averageValue")]
        : []),
    ];
  },
  external({ external: { metric = {}, target = {} } = {} }, at) {
    const { value, averageValue } = target;
    return [
      ...identifierErrors(metric, at.child("metric")),
      ...targetErrors(target, at.child("target")),
      ...(value === undefined && averageValue === undefined
        ? [
            fieldError.required(
              at.child("target", "averageValue"),
              "must set either a target value for metric or a per-pod target",
            ),
          ]
        : []),
      ...(value !== undefined && averageValue !== undefined
        ? [
            fieldError.forbidden(
              at.child("target", "value"),
              "may not set both a target value for metric and a per-pod target",
            ),
          ]
        : []),
    ];
  },
  pods({ pods: { metric = {}, target = {} } = {} }, at) {
    return [
      ...identifierErrors(metric, at.child("metric")),
      ...targetErrors(target, at.child("target")),
      ...(target.averageValue === undefined
        ? [fieldError.required(at.child("target", "averageValue"), "must specify a positive target averageValue")]
        : []),
    ];
  },
  resource({ resource: { name = "", target = {} } = {} }, at) {
    return [
      ...(name === "" ? [fieldError.required(at.child("name"), "must specify a resource name")] : []),
      ...targetErrors(target, at.child("target")),
      ...usageErrors(target, at.child("target")),
    ];
  },
  containerResource({ containerResource: { name = "", container = "", target = {} } = {} }, at) {
    return [
      ...(name === "" ? [fieldError.required(at.child("name"), "must specify a resource name")] : []),
      ...(container === ""
        ? [fieldError.required(at.child("container"), "must specify a container")]
        : messages(container, isDns1123Label(container), at.child("container"))),
      ...targetErrors(target, at.child("target")),
      ...usageErrors(target, at.child("target")),
    ];
  },
};
