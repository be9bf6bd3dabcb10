import {
  fieldError,
  isRecord,
  parseApiVersion,
  StatusError,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import {
  badBody,
  cannotBeHandled,
  type ExpectedType,
  expectedApiVersion,
  type RequestedFieldValidation,
  unrecognized,
} from "../body/expected-type.ts";
import { parseMediaType } from "../body/media-type.ts";
import { asObjectMeta } from "../body/object-meta.ts";
import { type ReadBody, readJsonBody, readYamlText, UnreadableTextError } from "../body/read-body.ts";
import { hasHugeNumber } from "../json/huge-number.ts";
import { refuseTooManyValues } from "../json/value-count.ts";
import { wrongType } from "../json/wrong-type.ts";
import { decodeMessage, readEnvelope } from "../protobuf/protobuf-decode.ts";
import { ProtobufError } from "../protobuf/protobuf-reader.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { type Decoded, decodeBuiltin, TypeMismatchError } from "./decode-builtin.ts";
import { pruneCustom } from "./prune.ts";

/** The object in a request body, and the warnings from decoding it. */
export interface DecodedBody {
  readonly object: Unstructured;
  /** Texts of the response's `Warning` headers. */
  readonly warnings: string[];
}

/**
 * Decodes the body of a create or update request: JSON (the default if no content type is given), YAML, or protobuf.
 *
 * Built-in types are returned as Go serializes them: without unknown fields, nulls and empty optional members, and with
 * `kind` and `apiVersion` filled in. Custom resources are pruned according to their schema, but their values are not
 * validated here.
 *
 * @throws {StatusError} 400 with upstream's message if the body cannot be parsed, has a different type, contains values
 *   of the wrong type or, with `Strict`, contains unknown or repeated fields; 413 if it has more values than allowed;
 *   415 if the content type is unknown; 422 if a custom resource is of a different kind
 */
export function decodeBody(
  contentType: string | undefined,
  body: Buffer,
  expected: ExpectedType,
  fieldValidation: RequestedFieldValidation,
): DecodedBody {
  const type = mediaTypeOf(contentType);
  if (type === "application/vnd.kubernetes.protobuf" && !expected.custom) return decodeProtobuf(body, expected);
  if (type !== "application/json" && type !== "application/yaml") throw unsupportedMediaType();
  const read = readText(type, body, expected);
  refuseTooManyValues(read.value, body.length);
  const { value, kind, version } = checkType(read.value, body, expected);
  let decoded: Decoded;
  try {
    decoded = decodeValue(value, expected, read.repeated);
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    throw cannotBeHandled(expected, { kind, version }, error.message);
  }
  if (read.huge !== undefined && (expected.custom || hasHugeNumber(decoded.value)))
    throw cannotBeHandled(expected, { kind, version }, read.huge);
  const yaml = read.yamlDuplicates.length > 0 ? [`yaml: unmarshal errors:\n  ${read.yamlDuplicates.join("\n  ")}`] : [];
  const problems = [...yaml, ...decoded.problems];
  if (problems.length > 0 && fieldValidation === "Strict")
    throw cannotBeHandled(expected, { kind, version }, `strict decoding error: ${problems.join(", ")}`);
  const warnings = fieldValidation === "Ignore" ? [] : [...read.yamlDuplicates, ...decoded.problems];
  return { object: withType(decoded.value, expected), warnings };
}

/**
 * Converts an input value to its type, as the API server does, and reports problems.
 *
 * @param convertsMaps true to convert values as upstream does after a strategic merge, in which case it converts a
 * parsed object (a Go map) instead of parsing text
 *
 * @param keepsNulls true to keep nulls that are not allowed in a custom resource
 */
export function decodeValue(
  value: Readonly<Record<string, unknown>>,
  expected: ExpectedType,
  repeated: readonly string[],
  {
    convertsMaps = false,
    keepsNulls = false,
  }: { convertsMaps?: boolean | undefined; keepsNulls?: boolean | undefined } = {},
): Decoded {
  if (expected.schema.type !== "object") return { value: { ...value }, problems: [] };
  return expected.custom
    ? pruneCustom(value, expected.schema, repeated, keepsNulls)
    : decodeBuiltin(value, expected.schema, repeated, convertsMaps);
}

/**
 * Returns an object in which `kind` and `apiVersion` come first, as serialized by Go: structs start with `kind`, and
 * maps are sorted.
 */
export function withType(value: Readonly<Record<string, unknown>>, expected: ExpectedType): Unstructured {
  const { apiVersion: _apiVersion, kind: _kind, metadata: given, ...rest } = value;
  const [apiVersion, kind, metadata] = [expectedApiVersion(expected), expected.gvk.kind, asObjectMeta(given)];
  return expected.custom ? { apiVersion, kind, metadata, ...rest } : { kind, apiVersion, metadata, ...rest };
}

const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType === undefined || contentType === "" ? "application/json" : parseMediaType(contentType)?.type;

function readText(type: string, body: Buffer, expected: ExpectedType): ReadBody {
  const text = body.toString("utf8");
  const isJson = type === "application/json";
  try {
    return isJson ? readJsonBody(text) : { ...readYamlText(text), huge: undefined };
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    throw unrecognized(expected, error.message, body);
  }
}

interface Typed {
  readonly value: Record<string, unknown>;
  readonly kind: string;
  readonly version: string;
}

function checkType(given: unknown, body: Buffer, expected: ExpectedType): Typed {
  const value = given === null && !expected.custom ? {} : given; // null becomes an empty struct
  if (!isRecord(value)) throw unrecognized(expected, wrongType("", "object", value), body);
  for (const member of ["apiVersion", "kind"]) {
    const text = value[member] ?? "";
    if (typeof text !== "string") throw unrecognized(expected, wrongType(member, "string", text), body);
  }
  const kind = String(value.kind ?? "");
  const apiVersion = String(value.apiVersion ?? "");
  return expected.custom
    ? checkCustomType(value, kind, apiVersion, body, expected)
    : checkBuiltinType(value, kind || expected.gvk.kind, apiVersion || expectedApiVersion(expected), body, expected);
}

function checkBuiltinType(
  value: Record<string, unknown>,
  kind: string,
  apiVersion: string,
  body: Buffer,
  expected: ExpectedType,
): Typed {
  const parsed = parseVersion(apiVersion);
  if (!parsed) throw unrecognized(expected, `unexpected GroupVersion string: ${apiVersion}`, body);
  if (kind === expected.gvk.kind && apiVersion === expectedApiVersion(expected))
    return { value, kind, version: parsed.version };
  const known = builtinSchema({ ...parsed, kind }) !== undefined;
  throw cannotBeHandled(
    expected,
    { kind, version: parsed.version },
    known
      ? unknownConversion(parsed.version, kind, expected)
      : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** Returns upstream's message for an object whose kind is known, but does not match the resource. */
export const unknownConversion = (version: string, kind: string, { gvk }: ExpectedType): string =>
  `converting (${version}.${kind}) to (${packageOf(gvk.group)}.${gvk.kind}): unknown conversion`;

const packageOf = (group: string): string => (group === "" ? "core" : (group.split(".")[0] ?? group));

function parseVersion(apiVersion: string): { readonly group: string; readonly version: string } | undefined {
  try {
    return parseApiVersion(apiVersion);
  } catch {
    return undefined;
  }
}

function checkCustomType(
  value: Record<string, unknown>,
  kind: string,
  apiVersion: string,
  body: Buffer,
  expected: ExpectedType,
): Typed {
  const wanted = expectedApiVersion(expected);
  if (kind === "") throw unrecognized(expected, `Object 'Kind' is missing in '${body.toString("utf8").trim()}'`, body);
  if (apiVersion !== wanted)
    throw badBody(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
  if (kind !== expected.gvk.kind) throw wrongCustomKind(value, kind, expected);
  return { value, kind, version: expected.gvk.version };
}

/** Returns the 422 error for a custom resource whose body has a different kind. */
export function wrongCustomKind(
  value: Readonly<Record<string, unknown>>,
  kind: string,
  expected: ExpectedType,
): StatusError {
  const name = isRecord(value.metadata) && typeof value.metadata.name === "string" ? value.metadata.name : "";
  return toAggregateInvalid({ group: expected.gvk.group, kind }, name, [
    fieldError.invalid("kind", kind, `must be ${expected.gvk.kind}`),
  ]);
}

function decodeProtobuf(body: Buffer, expected: ExpectedType): DecodedBody {
  try {
    const { apiVersion, kind, raw } = readEnvelope(body);
    checkBuiltinType({}, kind || expected.gvk.kind, apiVersion || expectedApiVersion(expected), body, expected);
    const value = expected.schema.type === "object" ? decodeMessage(raw, expected.schema) : {};
    refuseTooManyValues(value, raw.length);
    return { object: withType(value, expected), warnings: [] };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw unrecognized(expected, error.message, body);
  }
}

/**
 * Returns a 415 error for the body of a create, update or delete. The message lists protobuf even for custom resources, which do not accept
 * it.
 */
function unsupportedMediaType(): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    reason: "UnsupportedMediaType",
    code: 415,
  });
}
