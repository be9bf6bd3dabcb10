import {
  badRequest,
  isRecord,
  quote,
  type RawOperation,
  StatusError,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { RequestedFieldValidation } from "../body/expected-type.ts";
import { parseMediaType } from "../body/media-type.ts";
import { asObjectMeta } from "../body/object-meta.ts";
import { HugeNumber, type ReadText, readJsonText, readYamlText, UnreadableTextError } from "../body/read-body.ts";
import { firstProblems, maxProblems } from "../decode/decode-builtin.ts";
import { refuseTooManyValues } from "../json/value-count.ts";
import { wrongType } from "../json/wrong-type.ts";

/** The decoded body of a PATCH request, before it is applied. */
export type ParsedPatch = (
  | { readonly type: "json"; readonly operations: readonly RawOperation[] }
  | { readonly type: "merge" | "strategic"; readonly patch: Record<string, unknown> }
  | { readonly type: "apply"; readonly patch: Unstructured; readonly warnings: string[] }
) & {
  /** Problems in the text of the patch itself: repeated and unknown fields. `checkObject` reports them. */
  readonly problems: readonly string[];
};

const json = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

/** Upstream's limit on the number of operations in one JSON patch. */
const maxOperations = 10_000;

/**
 * Decodes a PATCH body according to its content type.
 *
 * @throws {StatusError} 415 if the resource does not accept the content type, 400 if the body cannot be parsed
 */
export function parsePatch(
  contentType: string | undefined,
  body: Buffer,
  fieldValidation: RequestedFieldValidation,
  custom: boolean,
): ParsedPatch {
  const type = contentType ? parseMediaType(contentType)?.type : undefined;
  const text = body.toString("utf8");
  if (type === json) return parseJsonPatch(text, fieldValidation);
  if (type === merge) return parseMapPatch("merge", text, "error decoding patch: ", fieldValidation);
  if (type === strategic && !custom) return parseMapPatch("strategic", text, "", fieldValidation);
  if (type === apply) return parseApply(text, fieldValidation);
  throw unsupported(custom);
}

/**
 * Decodes a JSON patch. A patch that is `null` has no operations. An operation that is `null` has no fields, so it fails when it is
 * applied.
 */
function parseJsonPatch(text: string, fieldValidation: RequestedFieldValidation): ParsedPatch {
  const isLookedThrough = fieldValidation !== "Ignore";
  const prefix = "error decoding patch: ";
  const { value: parsed } = readJsonPatch(text, prefix);
  refuseTooManyValues(parsed, text.length);
  const value: unknown = parsed ?? [];
  if (!Array.isArray(value)) throw badRequest(prefix + wrongType("", "array", value));
  const operations = value.map((given: unknown, i): RawOperation => {
    const operation = given ?? {};
    if (!isRecord(operation)) throw badRequest(prefix + wrongType(`[${i}]`, "object", operation));
    const wrong = isLookedThrough
      ? Object.keys(operation).find((name) => isWrongText(name, operation[name]))
      : undefined;
    if (wrong !== undefined) throw badRequest(prefix + wrongType(`[${i}].${wrong}`, "string", operation[wrong]));
    return operation;
  });
  if (value.length > maxOperations)
    throw new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${value.length}`,
      reason: "RequestEntityTooLarge",
      code: 413,
    });
  return { type: "json", operations, problems: firstProblems(unknownFields(operations).take(maxProblems)) };
}

function* unknownFields(operations: readonly RawOperation[]): Generator<string> {
  for (const [i, operation] of operations.entries())
    for (const key of Object.keys(operation))
      if (!["op", "path", "from", "value"].includes(key)) yield `json patch unknown field ${quote(`[${i}].${key}`)}`;
}

const isWrongText = (name: string, value: unknown): boolean =>
  (name === "op" || name === "path" || name === "from") && value !== null && typeof value !== "string";

function parseMapPatch(
  type: "merge" | "strategic",
  text: string,
  prefix: string,
  fieldValidation: RequestedFieldValidation,
): ParsedPatch {
  const { value, repeated } = readJsonPatch(text, prefix);
  refuseTooManyValues(value, text.length);
  if (value === null && type === "merge") throw badRequest("Invalid JSON Patch");
  const patch = value === null ? {} : value; // in Go, null becomes an empty map
  // without field validation, the patch is only parsed when it is applied
  if (type === "merge" && typeof patch !== "object" && fieldValidation === "Ignore")
    throw badRequest("Invalid JSON Patch");
  if (!isRecord(patch)) throw badRequest(prefix + wrongType("", "object", value));
  return { type, patch, problems: firstProblems(repeatedFields(repeated).take(maxProblems)) };
}

function* repeatedFields(paths: readonly string[]): Generator<string> {
  for (const path of paths) yield `duplicate field ${quote(path)}`;
}

function parseApply(text: string, fieldValidation: RequestedFieldValidation): ParsedPatch {
  const { value: parsed, yamlDuplicates } = read(
    () => readYamlText(text),
    "error decoding patch: error converting YAML to JSON: ",
  );
  refuseTooManyValues(parsed, text.length);
  const value = parsed ?? {}; // an empty text means an empty object
  if (!isRecord(value)) throw badRequest(`error decoding patch: ${wrongType("", "object", value)}`);
  if (yamlDuplicates.length > 0 && fieldValidation === "Strict")
    throw badRequest(
      `error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  ${yamlDuplicates.join("\n  ")}`,
    );
  const patch: Unstructured = {
    ...value,
    apiVersion: typeof value.apiVersion === "string" ? value.apiVersion : "",
    kind: typeof value.kind === "string" ? value.kind : "",
    metadata: asObjectMeta(value.metadata),
  };
  return { type: "apply", patch, warnings: fieldValidation === "Ignore" ? [] : [...yamlDuplicates], problems: [] };
}

function read(reader: () => ReadText, prefix: string): ReadText {
  try {
    return reader();
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    throw badRequest(prefix + error.message);
  }
}

/** Reads a patch in JSON. If the text is not JSON, upstream's message contains no details. */
function readJsonPatch(text: string, prefix: string): ReadText {
  try {
    return readJsonText(text);
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    if (error instanceof HugeNumber) throw badRequest(prefix + error.message);
    throw badRequest(isJson(text) ? `error decoding patch: ${error.message}` : "invalid JSON patch");
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function unsupported(custom: boolean): StatusError {
  const message = custom
    ? `the body of the request was in an unknown format - accepted media types include: ${[json, merge, apply].join(", ")}`
    : "415: Unsupported Media Type";
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "UnsupportedMediaType",
    ...(custom ? {} : { details: {} }),
    code: 415,
  });
}
