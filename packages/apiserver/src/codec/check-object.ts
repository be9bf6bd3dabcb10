import {
  fieldError,
  isRecord,
  type StatusError,
  stringifyJson,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { type DecodedBody, decodeValue, withType, wrongCustomKind } from "./decode.ts";
import { TypeMismatch } from "./decode-builtin.ts";
import { type ExpectedType, expectedApiVersion, type FieldValidation } from "./expected-type.ts";

export interface CheckOptions {
  /** Problems found in the patch's own text, reported before those of the result. */
  readonly patchProblems?: readonly string[];
  /** What errors show as the patch; default: the patched object as JSON. */
  readonly shownAs?: string;
}

/**
 * The result of a patch, checked and pruned like a body. Problems are reported as upstream does for patches: one 422 about the field
 * `patch`.
 *
 * @throws {StatusError} 422
 */
export function checkObject(
  value: Unstructured,
  expected: ExpectedType,
  fieldValidation: FieldValidation,
  options: CheckOptions = {},
): DecodedBody {
  const refuse = (cause: string): StatusError =>
    toAggregateInvalid({ group: "", kind: "" }, "", [
      fieldError.invalid("patch", options.shownAs ?? stringifyJson(sortedKeys(value)), cause),
    ]);
  checkType(value, expected, refuse);
  try {
    const { value: object, problems: found } = decodeValue(value, expected, []);
    const problems = [...(options.patchProblems ?? []), ...found];
    if (problems.length > 0 && fieldValidation === "Strict")
      throw refuse(`strict decoding error: ${problems.join(", ")}`);
    return { object: withType(object, expected), warnings: fieldValidation === "Ignore" ? [] : problems };
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw refuse(error.message);
  }
}

function checkType(value: Unstructured, expected: ExpectedType, refuse: (cause: string) => StatusError): void {
  const wanted = expectedApiVersion(expected);
  if (expected.custom) {
    if (value.kind !== expected.gvk.kind) throw wrongCustomKind(value, String(value.kind), expected);
    if (value.apiVersion !== wanted)
      throw toAggregateInvalid(expected.gvk, value.metadata.name, [
        fieldError.invalid("apiVersion", value.apiVersion, `must be ${wanted}`),
      ]);
  } else if (value.kind !== expected.gvk.kind || value.apiVersion !== wanted) {
    throw refuse(
      `no kind "${value.kind}" is registered for version "${value.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
}

/** Go prints maps with sorted keys. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key])]),
  );
}
