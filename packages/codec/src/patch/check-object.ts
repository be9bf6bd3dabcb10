import {
  fieldError,
  isRecord,
  quote,
  type StatusError,
  stringifyJson,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { type ExpectedType, expectedApiVersion, type RequestedFieldValidation } from "../body/expected-type.ts";
import { type DecodedBody, decodeValue, unknownConversion, withType, wrongCustomKind } from "../decode/decode.ts";
import { TypeMismatchError } from "../decode/decode-builtin.ts";
import { refuseTooManyValues } from "../json/value-count.ts";
import { wrongType } from "../json/wrong-type.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import type { ParsedPatch } from "./patch-body.ts";

/** Options for checking the result of a patch. */
export interface CheckOptions {
  /** The patch that produced the value. */
  readonly patch?: ParsedPatch | undefined;
  /**
   * True to keep nulls in custom resources, so that validation sees them. Set after a server-side apply, because its result is not decoded.
   */
  readonly keepsNulls?: boolean | undefined;
}

/**
 * Validates and prunes the result of a patch like a request body. As in upstream, all problems are reported in a single
 * 422 error for the `patch` field.
 *
 * @throws {StatusError} 422 if the object is not valid; 413 if it has more values than allowed
 */
export function checkObject(
  value: Unstructured,
  expected: ExpectedType,
  fieldValidation: RequestedFieldValidation,
  options: CheckOptions = {},
): DecodedBody {
  refuseTooManyValues(value);
  const { patch, keepsNulls = false } = options;
  const shown = (): unknown => (patch?.type === "strategic" ? patch.patch : withSortedKeys(value));
  const refuse = (cause: string): StatusError =>
    toAggregateInvalid({ group: "", kind: "" }, "", [fieldError.invalid("patch", stringifyJson(shown()), cause)]);
  checkType(value, expected, refuse);
  if (!expected.custom && !value.apiVersion) return ofNoVersion(value, refuse, fieldValidation);
  const convertsMaps = patch?.type === "strategic";
  // after a patch, upstream iterates over the members in the order of their names
  const byName = (): readonly string[] => decodeValue(withSortedKeys(value) as Unstructured, expected, []).problems;
  try {
    const { value: object, problems } = decodeValue(value, expected, [], { convertsMaps, keepsNulls });
    const found = patch === undefined || convertsMaps || problems.length < 2 ? problems : byName();
    const all = [...(patch?.problems ?? []), ...(convertsMaps ? found.toSorted() : found)];
    if (all.length > 0 && fieldValidation === "Strict") throw refuse(`strict decoding error: ${all.join(", ")}`);
    return { object: withType(object, expected), warnings: fieldValidation === "Ignore" ? [] : all };
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    throw refuse(convertsMaps ? (error.conversion ?? error.message) : error.message);
  }
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, withSortedKeys(value[key])]),
  );
}

/**
 * Decodes an object without a version. Upstream decodes such an object to its internal type, whose members have other names, so no members
 * remain.
 */
function ofNoVersion(
  value: Unstructured,
  refuse: (cause: string) => StatusError,
  fieldValidation: RequestedFieldValidation,
): DecodedBody {
  const unknown = Object.keys(value)
    .filter((name) => name !== "kind" && name !== "apiVersion")
    .sort()
    .map((name) => `unknown field ${quote(name)}`);
  if (unknown.length > 0 && fieldValidation === "Strict") throw refuse(`strict decoding error: ${unknown.join(", ")}`);
  return {
    object: { apiVersion: "", kind: "", metadata: { name: "" } },
    warnings: fieldValidation === "Ignore" ? [] : unknown,
  };
}

/** Returns the group in an `apiVersion`, or an empty string if the `apiVersion` cannot be parsed. */
const groupIn = (apiVersion: unknown): string => /^([^/]*)\/[^/]*$/.exec(String(apiVersion))?.[1] ?? "";

function checkType(value: Unstructured, expected: ExpectedType, refuse: (cause: string) => StatusError): void {
  const wanted = expectedApiVersion(expected);
  if (!isRecord(value)) throw refuse(wrongType("", "object", value));
  if (expected.custom) {
    if (value.kind !== expected.gvk.kind) throw wrongCustomKind(value, String(value.kind), expected);
    if (value.apiVersion !== wanted)
      throw toAggregateInvalid({ group: groupIn(value.apiVersion), kind: expected.gvk.kind }, value.metadata.name, [
        fieldError.invalid("apiVersion", value.apiVersion, `must be ${wanted}`),
      ]);
    return;
  }
  for (const member of ["apiVersion", "kind"]) {
    const given = value[member] ?? "";
    if (typeof given !== "string") throw refuse(wrongType(member, "string", given));
  }
  const kind = value.kind || expected.gvk.kind;
  if (kind !== expected.gvk.kind || (value.apiVersion && value.apiVersion !== wanted)) {
    throw refuse(
      value.apiVersion === wanted && builtinSchema({ ...expected.gvk, kind })
        ? unknownConversion(expected.gvk.version, kind, expected)
        : `no kind "${kind}" is registered for version "${value.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
}
