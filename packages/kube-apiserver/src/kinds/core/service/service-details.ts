import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages } from "../../checks.ts";
import { isValidPortNumber } from "../../names.ts";
import { cidrErrors } from "../../networking/cidr.ts";
import type { Service } from "./service-types.ts";

type Spec = NonNullable<Service["spec"]>;

const at = fieldPath("spec");
const longestAffinitySeconds = 86_400;
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

export const needsHealthCheck = ({ type, externalTrafficPolicy }: Spec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

/** Returns the errors in a Service's session affinity. @see pkg/apis/core/validation validateClientIPAffinityConfig */
export function affinityErrors({ sessionAffinity, sessionAffinityConfig: config }: Spec): FieldError[] {
  const path = at.child("sessionAffinityConfig");
  if (sessionAffinity === "None")
    return config ? [fieldError.forbidden(path, "must not be set when session affinity is None")] : [];
  if (sessionAffinity !== "ClientIP") return [];
  const missing = (where: FieldPath): FieldError[] => [
    fieldError.required(where, "when session affinity type is ClientIP"),
  ];
  if (!config) return missing(path);
  if (!config.clientIP) return missing(path.child("clientIP"));
  const { timeoutSeconds } = config.clientIP;
  const where = path.child("clientIP", "timeoutSeconds");
  if (timeoutSeconds === undefined) return missing(where);
  return timeoutSeconds > 0 && timeoutSeconds <= longestAffinitySeconds
    ? []
    : [fieldError.invalid(where, timeoutSeconds, `must be greater than 0 and less than ${longestAffinitySeconds}`)];
}

/** Returns the errors in fields that only Services of type `LoadBalancer` may have. */
export function balancerErrors(spec: Spec): FieldError[] {
  const { type, loadBalancerSourceRanges: ranges = [] } = spec;
  const only = "may only be used when `type` is 'LoadBalancer'";
  const path = at.child("LoadBalancerSourceRanges");
  const isBalancer = type === "LoadBalancer";
  return [
    ...(ranges.length > 0 && !isBalancer ? [fieldError.forbidden(path, only)] : []),
    ...ranges.flatMap((range, i) =>
      cidrErrors(range.trim() || "-", path.index(i)).map((error) => ({ ...error, badValue: range.trim() })),
    ),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer
      ? [fieldError.forbidden(at.child("allocateLoadBalancerNodePorts"), only)]
      : []),
    ...classErrors(spec, only),
  ];
}

export function classErrors({ type, loadBalancerClass }: Spec, only: string): FieldError[] {
  const path = at.child("loadBalancerClass");
  if (loadBalancerClass === undefined) return [];
  return type === "LoadBalancer"
    ? messages(loadBalancerClass, validateQualifiedName(loadBalancerClass), path)
    : [fieldError.forbidden(path, only)];
}

export function healthCheckErrors(spec: Spec): FieldError[] {
  const { healthCheckNodePort: port = 0 } = spec;
  const path = at.child("healthCheckNodePort");
  if (needsHealthCheck(spec)) return port === 0 ? [] : messages(port, isValidPortNumber(port), path);
  return port === 0
    ? []
    : [
        fieldError.invalid(
          path,
          port,
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
      ];
}

export function distributionErrors({ trafficDistribution: value }: Spec): FieldError[] {
  return value === undefined || distributions.includes(value)
    ? []
    : [fieldError.notSupported(at.child("trafficDistribution"), value, distributions)];
}

/**
 * Removes fields that the Service's new type does not use, unless the client set them in this update.
 *
 * @see pkg/registry/core/service dropTypeDependentFields
 */
export function dropUseless(spec: Spec, old: Spec): void {
  const wasBalancer = old.type === "LoadBalancer" && spec.type !== "LoadBalancer";
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && spec.healthCheckNodePort === old.healthCheckNodePort)
    delete spec.healthCheckNodePort;
  if (wasBalancer && spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts)
    delete spec.allocateLoadBalancerNodePorts;
  if (wasBalancer && spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
}
