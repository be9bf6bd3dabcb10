import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";

interface ScalingRules {
  selectPolicy?: string;
  stabilizationWindowSeconds?: number;
  policies?: { type?: string; value?: number; periodSeconds?: number }[];
}

export interface Behavior {
  scaleUp?: ScalingRules;
  scaleDown?: ScalingRules;
}

const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];
const longestWindow = 3600;
const longestPeriod = 1800;

/** Returns the errors in an autoscaler's scaling behavior. @see pkg/apis/autoscaling/validation validateBehavior */
export function behaviorErrors(behavior: Behavior | undefined, at: FieldPath): FieldError[] {
  return (["scaleUp", "scaleDown"] as const).flatMap((direction) => {
    const rules = behavior?.[direction];
    return rules ? ruleErrors(rules, at.child(direction)) : [];
  });
}

function ruleErrors(rules: ScalingRules, at: FieldPath): FieldError[] {
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [] } = rules;
  const path = at.child("policies");
  return [
    ...between(
      seconds,
      0,
      longestWindow,
      at.child("stabilizationWindowSeconds"),
      "must be greater than or equal to zero",
    ),
    ...(selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)
      ? [fieldError.notSupported(at.child("selectPolicy"), selectPolicy, selectPolicies)]
      : []),
    ...(policies.length === 0 ? [fieldError.required(path, "must specify at least one Policy")] : []),
    ...policies.flatMap(({ type = "", value = 0, periodSeconds = 0 }, i) => [
      ...(policyTypes.includes(type) ? [] : [fieldError.notSupported(path.index(i).child("type"), type, policyTypes)]),
      ...between(value, 1, Number.POSITIVE_INFINITY, path.index(i).child("value"), "must be greater than zero"),
      ...between(periodSeconds, 1, longestPeriod, path.index(i).child("periodSeconds"), "must be greater than zero"),
    ]),
  ];
}

function between(
  value: number | undefined,
  least: number,
  most: number,
  at: FieldPath,
  tooSmall: string,
): FieldError[] {
  if (value === undefined) return [];
  if (value < least) return [fieldError.invalid(at, value, tooSmall)];
  return value > most ? [fieldError.invalid(at, value, `must be less than or equal to ${most}`)] : [];
}
