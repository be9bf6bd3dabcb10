import {
  type FieldError,
  type FieldPath,
  fieldError,
  isLabelValue,
  validateQualifiedName,
} from "@kubewright/apimachinery";

/** Validates label keys and values, and returns the errors. @see apimachinery apis/meta/v1/validation ValidateLabels */
export function labelErrors(labels: Readonly<Record<string, string>> | undefined, at: FieldPath): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...validateQualifiedName(key).map((text) => fieldError.invalid(at, key, text)),
    ...isLabelValue(value ?? "").map((text) => fieldError.invalid(at, value, text)),
  ]);
}
