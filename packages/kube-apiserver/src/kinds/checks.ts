import {
  type FieldError,
  type FieldPath,
  fieldError,
  formatGoNumber,
  isDns1123Subdomain,
  isLabelValue,
  jsonEqual,
  type LabelSelectorSpec,
  labelSelectorFrom,
  regexMessage,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { labelErrors } from "@kubewright/apiserver/registry";
import { isValidPercentage } from "./names.ts";

export type IntOrString = number | string;

/** Checks that a value is at least 0. An absent value is valid. */
export function nonNegative(value: number | undefined, at: FieldPath): FieldError[] {
  return value !== undefined && value < 0 ? [fieldError.invalid(at, value, "must be greater than or equal to 0")] : [];
}

/** Checks that a value is greater than 0. An absent value is valid. */
export function positive(value: number | undefined, at: FieldPath): FieldError[] {
  return value !== undefined && value <= 0 ? [fieldError.invalid(at, value, "must be greater than 0")] : [];
}

/** Checks that a value is set and is one of the supported values. */
export function oneOf(value: string | undefined, supported: readonly string[], at: FieldPath): FieldError[] {
  if (!value) return [fieldError.required(at)];
  return supported.includes(value) ? [] : [fieldError.notSupported(at, value, supported)];
}

/** Checks that a value has not changed. The error is `field is immutable`. */
export function immutable(value: unknown, old: unknown, at: FieldPath): FieldError[] {
  return jsonEqual(value ?? null, old ?? null) ? [] : [fieldError.invalid(at, value ?? null, "field is immutable")];
}

/** Converts the messages returned by a check to errors. */
export function messages(value: unknown, texts: readonly string[], at: FieldPath): FieldError[] {
  return texts.map((text) => fieldError.invalid(at, value, text));
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist"];

/** Returns the errors in a label selector. @see apimachinery apis/meta/v1/validation ValidateLabelSelector */
export function selectorErrors(selector: LabelSelectorSpec | undefined, at: FieldPath): FieldError[] {
  if (!selector) return [];
  return [
    ...labelErrors(selector.matchLabels, at.child("matchLabels")),
    ...(selector.matchExpressions ?? []).flatMap((expression, i) => {
      const path = at.child("matchExpressions").index(i);
      // missing members are empty in Go
      const { key = "", operator = "", values = [] } = expression as Partial<typeof expression>;
      const errors: FieldError[] = [];
      if (operator === "In" || operator === "NotIn") {
        if (values.length === 0)
          errors.push(
            fieldError.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"),
          );
      } else if (operator === "Exists" || operator === "DoesNotExist") {
        if (values.length > 0)
          errors.push(
            fieldError.forbidden(
              path.child("values"),
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          );
      } else if (!operators.includes(operator)) {
        errors.push(fieldError.invalid(path.child("operator"), operator, "not a valid selector operator"));
      }
      return [
        ...errors,
        ...messages(key, validateQualifiedName(key), path.child("key")),
        ...values.flatMap((value, j) => messages(value, isLabelValue(value ?? ""), path.child("values").index(j))),
      ];
    }),
  ];
}

/** Reports whether a selector matches labels. An invalid selector matches no labels. */
export function selects(
  selector: LabelSelectorSpec | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  try {
    return labelSelectorFrom(selector).matches(labels);
  } catch {
    return false;
  }
}

export const isEmptySelector = (selector: LabelSelectorSpec): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0;

/** Checks that a value is a percentage or a non-negative number. */
export function intOrPercent(value: IntOrString | undefined, at: FieldPath): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === "number") return nonNegative(value, at);
  return messages(value, isValidPercentage(value), at);
}

/** Checks that a percentage is at most `100%`. Numbers are not checked. */
export function atMostAll(value: IntOrString | undefined, at: FieldPath): FieldError[] {
  const percent = percentOf(value);
  return percent !== undefined && percent > 100 ? [fieldError.invalid(at, value, "must not be greater than 100%")] : [];
}

const percentOf = (value: IntOrString | undefined): number | undefined =>
  typeof value === "string" && /^\d+%$/.test(value) ? Number(value.slice(0, -1)) : undefined;

/** Reports whether a number or a percentage is zero. */
export const isZero = (value: IntOrString | undefined): boolean =>
  (typeof value === "string" ? (percentOf(value) ?? 0) : (value ?? 0)) === 0;

/** Checks that a value is within a range. An example of an error is `must be between 1 and 10, inclusive`. */
export function inRange(value: number | undefined, least: number, most: number, at: FieldPath): FieldError[] {
  if (value === undefined || (value >= least && value <= most)) return [];
  return [
    fieldError.invalid(at, value, `must be between ${formatGoNumber(least)} and ${formatGoNumber(most)}, inclusive`),
  ];
}

/**
 * Checks that a string consists of a domain, a slash and a path, such as `acme.io/foo`.
 *
 * @see apimachinery pkg/util/validation IsDomainPrefixedPath
 */
export function domainPrefixedPathErrors(text: string, at: FieldPath): FieldError[] {
  if (text === "") return [fieldError.required(at)];
  const slash = text.indexOf("/");
  const [domain, path] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash <= 0 || path === "")
    return [fieldError.invalid(at, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const wrong = isDns1123Subdomain(domain);
  if (wrong.length > 0) return messages(domain, wrong, at);
  return /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)
    ? []
    : [fieldError.invalid(at, path, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')")];
}

/** A condition in an object's status. @see apimachinery meta/v1 Condition */
export interface StatusCondition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const conditionStatuses = ["False", "True", "Unknown"];
const [longestReason, longestMessage] = [1_024, 32 * 1_024];

/** Returns the errors in a status's conditions. @see apimachinery apis/meta/v1/validation ValidateConditions */
export function statusConditionErrors(conditions: readonly StatusCondition[], at: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    const { type = "" } = condition;
    const repeated = seen.has(type) ? [fieldError.duplicate(at.index(i), type)] : [];
    seen.add(type);
    return [...repeated, ...statusConditionError(condition, at.index(i))];
  });
}

function statusConditionError(condition: StatusCondition, at: FieldPath): FieldError[] {
  const { type = "", status, observedGeneration = 0, lastTransitionTime, reason = "", message = "" } = condition;
  return [
    ...(type === ""
      ? [fieldError.required(at.child("type"), "is required")]
      : messages(type, validateQualifiedName(type), at.child("type"))),
    ...oneOf(status, conditionStatuses, at.child("status")),
    ...(observedGeneration < 0
      ? [
          fieldError.invalid(
            at.child("observedGeneration"),
            observedGeneration,
            "must be greater than or equal to zero",
          ),
        ]
      : []),
    ...(lastTransitionTime ? [] : [fieldError.required(at.child("lastTransitionTime"))]),
    ...(reason === "" ? [fieldError.required(at.child("reason"))] : reasonErrors(reason, at.child("reason"))),
    ...(Buffer.byteLength(message) > longestMessage ? [fieldError.tooLong(at.child("message"), longestMessage)] : []),
  ];
}

/** Returns the errors in the reason of a condition. */
function reasonErrors(reason: string, at: FieldPath, maxBytes = longestReason): FieldError[] {
  const pattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
  const rule =
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
  const isValid = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason);
  return [
    ...(isValid
      ? []
      : [
          fieldError.invalid(
            at,
            reason,
            regexMessage(rule, pattern, "my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"),
          ),
        ]),
    ...(Buffer.byteLength(reason) > maxBytes ? [fieldError.tooLong(at, maxBytes)] : []),
  ];
}

const maxAnnotationBytes = 256 * 1_024;

/** Returns the errors in annotations that a user passes to a signer. @see pkg/apis/core/validation ValidateUserAnnotations */
export function userAnnotationErrors(annotations: Readonly<Record<string, string>>, at: FieldPath): FieldError[] {
  let bytes = 0;
  const errors = Object.entries(annotations).flatMap(([name, value]) => {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    const key = name.toLowerCase();
    if (key === "") return [fieldError.required(at)];
    const wrong = validateQualifiedName(key);
    if (wrong.length > 0) return messages(key, wrong, at);
    return key.includes("/")
      ? []
      : [fieldError.invalid(at, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
  });
  return bytes > maxAnnotationBytes ? [...errors, fieldError.tooLong(at, maxAnnotationBytes)] : errors;
}
