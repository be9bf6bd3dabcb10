import {
  type FieldError,
  type FieldPath,
  fieldError,
  omittedValue,
  quote,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { isInt64 } from "@kubewright/apiserver/registry";
import { messages, nonNegative } from "../checks.ts";
import type { ExitCodes, FailurePolicy, FailureRule, JobSpec, SuccessPolicy } from "./job-types.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];
const most = { rules: 20, patterns: 20, values: 255, indexesBytes: 64 * 1024 };

/** Checks that a value is set and is in a list of supported values, which the error message contains. */
function oneOfNamed(value: string, supported: readonly string[], at: FieldPath): FieldError[] {
  if (value === "") return [fieldError.required(at, `valid values: [${supported.map(quote).join(" ")}]`)];
  return supported.includes(value) ? [] : [fieldError.notSupported(at, value, supported)];
}

const tooMany = (count: number, limit: number, at: FieldPath): FieldError[] =>
  count > limit ? [fieldError.tooMany(at, count, limit)] : [];

/** Returns the errors in a Job's `podFailurePolicy`. @see pkg/apis/batch/validation validatePodFailurePolicy */
export function failurePolicyErrors(policy: FailurePolicy, spec: JobSpec, at: FieldPath): FieldError[] {
  const rules = policy.rules ?? [];
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = new Set([...containers, ...initContainers].map(({ name }) => name ?? ""));
  return [
    ...tooMany(rules.length, most.rules, at.child("rules")),
    ...rules.flatMap((rule, i) => failureRuleErrors(rule, spec, names, at.child("rules").index(i))),
  ];
}

function failureRuleErrors(rule: FailureRule, spec: JobSpec, names: ReadonlySet<string>, at: FieldPath): FieldError[] {
  const { action = "", onExitCodes } = rule;
  const conditions = rule.onPodConditions ?? [];
  const path = at.child("action");
  const pairing = (text: string): FieldError => fieldError.invalid(at, omittedValue, text);
  return [
    ...(action === "FailIndex" && spec.backoffLimitPerIndex === undefined
      ? [fieldError.invalid(path, action, "requires the backoffLimitPerIndex to be set")]
      : oneOfNamed(action, actions, path)),
    ...(onExitCodes ? exitCodeErrors(onExitCodes, names, at.child("onExitCodes")) : []),
    ...tooMany(conditions.length, most.patterns, at.child("onPodConditions")),
    ...conditions.flatMap(({ type = "", status = "" }, i) => {
      const where = at.child("onPodConditions").index(i);
      return [
        ...messages(type, validateQualifiedName(type), where.child("type")),
        ...oneOfNamed(status, statuses, where.child("status")),
      ];
    }),
    ...(onExitCodes && conditions.length > 0
      ? [pairing("specifying both OnExitCodes and OnPodConditions is not supported")]
      : []),
    ...(!onExitCodes && conditions.length === 0
      ? [pairing("specifying one of OnExitCodes and OnPodConditions is required")]
      : []),
  ];
}

function exitCodeErrors(codes: ExitCodes, names: ReadonlySet<string>, at: FieldPath): FieldError[] {
  const { operator = "", containerName } = codes;
  const values = codes.values ?? [];
  const path = at.child("values");
  return [
    ...oneOfNamed(operator, operators, at.child("operator")),
    ...(containerName !== undefined && !names.has(containerName)
      ? [
          fieldError.invalid(
            at.child("containerName"),
            containerName,
            "must be one of the container or initContainer names in the pod template",
          ),
        ]
      : []),
    ...(values.length === 0 ? [fieldError.invalid(path, codes.values ?? null, "at least one value is required")] : []),
    ...tooMany(values.length, most.values, path),
    ...values.flatMap((value, i) => [
      ...(operator === "In" && value === 0
        ? [fieldError.invalid(path.index(i), value, "must not be 0 for the In operator")]
        : []),
      ...(values.indexOf(value) < i ? [fieldError.duplicate(path.index(i), value)] : []),
    ]),
    ...(values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)
      ? [fieldError.invalid(path, values, "must be ordered")]
      : []),
  ];
}

/** Returns the errors in a Job's `successPolicy`. @see pkg/apis/batch/validation validateSuccessPolicy */
export function successPolicyErrors(policy: SuccessPolicy, completions: number, at: FieldPath): FieldError[] {
  const rules = policy.rules ?? [];
  const path = at.child("rules");
  return [
    ...(rules.length === 0
      ? [fieldError.required(path, "at least one rules must be specified when the successPolicy is specified")]
      : []),
    ...tooMany(rules.length, most.rules, path),
    ...rules.flatMap(({ succeededIndexes, succeededCount }, i) => {
      const where = path.index(i);
      const parsed = indexesOf(succeededIndexes ?? "", completions);
      const total = typeof parsed === "number" ? parsed : 0;
      return [
        ...(succeededIndexes === undefined && succeededCount === undefined
          ? [fieldError.required(where, "at least one of succeededCount or succeededIndexes must be specified")]
          : []),
        ...(typeof parsed === "number"
          ? []
          : [
              fieldError.invalid(
                where.child("succeededIndexes"),
                succeededIndexes,
                `error parsing succeededIndexes: ${parsed.wrong}`,
              ),
            ]),
        ...countErrors(succeededCount, completions, succeededIndexes === undefined ? undefined : total, where),
      ];
    }),
  ];
}

function countErrors(
  count: number | undefined,
  completions: number,
  indexes: number | undefined,
  at: FieldPath,
): FieldError[] {
  if (count === undefined) return [];
  const path = at.child("succeededCount");
  const atMost = (limit: number, what: string): FieldError[] =>
    count > limit
      ? [fieldError.invalid(path, count, `must be less than or equal to ${limit} (the number of ${what})`)]
      : [];
  return [
    ...nonNegative(count, path),
    ...atMost(completions, "specified completions"),
    ...(indexes === undefined ? [] : atMost(indexes, "indexes in the specified succeededIndexes field")),
  ];
}

/** Returns the number of indexes in a string such as `0,2-4`, or an error if the string is not valid. */
export function indexesOf(text: string, completions: number): number | { readonly wrong: string } {
  if (text === "") return 0;
  let [total, last] = [0, -1];
  for (const interval of text.split(",")) {
    const limits = interval.split("-");
    if (limits.length > 2)
      return {
        wrong: `the fragment "${interval}" violates the requirement that an index interval can have at most two parts separated by '-'`,
      };
    const [first = "", second = first] = limits;
    for (const limit of [first, second])
      if (!/^[+-]?\d+$/.test(limit) || !isInt64(limit))
        return { wrong: `cannot convert string to integer for index: ${quote(limit)}` };
    const [x, y] = [Number(first), Number(second)];
    for (const index of limits.length === 2 ? [x, y] : [x])
      if (index >= completions) return { wrong: `too large index: "${index === x ? first : second}"` };
    if (limits.length === 2 && x >= y) return { wrong: `non-increasing order, previous: ${x}, current: ${y}` };
    if (last >= x) return { wrong: `non-increasing order, previous: ${last}, current: ${x}` };
    total += y - x + 1;
    last = y;
  }
  return total;
}
