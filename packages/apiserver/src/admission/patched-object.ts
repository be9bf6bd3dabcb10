import {
  apiVersionOf,
  fieldError,
  type GroupVersionKind,
  internalError,
  isRecord,
  quote,
  setOwnMember,
  stringifyJson,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import {
  decodeValue,
  refuseTooManyValues,
  TypeMismatchError,
  unexplained,
  withType,
  wrongType,
} from "@kubewright/codec";
import { builtinSchema } from "@kubewright/codec/schema";
import type { ServedResource } from "../registry/resource.ts";

/**
 * Decodes an object changed by a webhook or policy in the same way as a request body: drops unknown fields (or rejects
 * them, with `strict`) and fills in defaults.
 *
 * @param resource the resource under which the webhook or policy matched the request
 *
 * @throws {StatusError} 500 if the result is not an object of its kind; 413 if it has more values than allowed
 */
export function readPatched(
  value: unknown,
  kind: GroupVersionKind,
  resource: ServedResource | undefined,
  { strict = false }: { readonly strict?: boolean } = {},
): Unstructured {
  refuseTooManyValues(value);
  checkNamed(value);
  const isOwn = resource?.kind === kind.kind && resource.group === kind.group && resource.version === kind.version;
  const schema = isOwn ? resource.schema : builtinSchema(kind);
  if (!schema) throw internalError(new Error(`no kind ${quote(kind.kind)} is registered`));
  const custom = isOwn && resource.origin === "custom";
  if (custom) checkSameCustomKind(value, kind);
  else checkSameKind(value, kind);
  const expected = { gvk: kind, schema, custom };
  try {
    const decoded = decodeValue(value, expected, []);
    if (strict && !custom && decoded.problems.length > 0)
      throw internalError(new Error(`strict decoding error: ${decoded.problems.join(", ")}`));
    const object = withType(decoded.value, expected);
    if (schema.type === "object" && !custom && !schema.fields.has("metadata"))
      Reflect.deleteProperty(object, "metadata"); // options of a CONNECT request have no metadata
    if (isOwn) resource.strategy.applyDefaults?.(object);
    return object;
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    throw internalError(error);
  }
}

/** Checks that a value is an object whose `apiVersion` and `kind` are strings or absent. @throws {StatusError} 500 otherwise */
function checkNamed(value: unknown): asserts value is Record<string, unknown> {
  if (!isRecord(value)) throw internalError(new Error(wrongType("", "object", value)));
  for (const name of ["apiVersion", "kind"] as const) {
    const given = value[name];
    if (given !== undefined && given !== null && typeof given !== "string")
      throw internalError(new Error(wrongType(name, "string", given)));
  }
}

/** Rejects an object whose type differs from the expected type. The object may omit its type. */
function checkSameKind(value: Readonly<Record<string, unknown>>, wanted: GroupVersionKind): void {
  const apiVersion = String(value.apiVersion ?? "") || apiVersionOf(wanted);
  const kind = String(value.kind ?? "") || wanted.kind;
  if (apiVersion === apiVersionOf(wanted) && kind === wanted.kind) return;
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  const gvk = { group: group ?? "", version: version ?? "", kind };
  const schema = builtinSchema(gvk);
  if (!schema)
    throw internalError(
      new Error(
        `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
      ),
    );
  try {
    decodeValue(value, { gvk, schema, custom: false }, []);
  } catch (error) {
    throw error instanceof TypeMismatchError ? internalError(error) : error;
  }
  const internal = `${wanted.group === "" ? "core" : wanted.group.split(".")[0]}.${wanted.kind}`;
  throw unexplained(`converting (${gvk.version}.${kind}) to (${internal}): unknown conversion`);
}

/**
 * Rejects a custom resource that omits its type or specifies a different one.
 *
 * @see apiextensions-apiserver pkg/apiserver/conversion converter.go
 */
function checkSameCustomKind(value: Readonly<Record<string, unknown>>, wanted: GroupVersionKind): void {
  const [apiVersion, kind] = [String(value.apiVersion ?? ""), String(value.kind ?? "")];
  if (kind === "") throw internalError(new Error(`Object 'Kind' is missing in '${stringifyJson(value)}'`));
  if (apiVersion !== apiVersionOf(wanted)) {
    const isOwnGroup = apiVersion.startsWith(`${wanted.group}/`);
    const given = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw unexplained(
      isOwnGroup
        ? `request to convert CR from an invalid group/version: ${apiVersion}`
        : `${given}, Kind=${kind} is unstructured and is not suitable for converting to "${apiVersionOf(wanted)}"`,
    );
  }
  if (kind === wanted.kind) return;
  const { metadata } = value;
  const name = isRecord(metadata) && typeof metadata.name === "string" ? metadata.name : "";
  const error = fieldError.invalid("kind", kind, `must be ${wanted.kind}`);
  throw toAggregateInvalid({ group: wanted.group, kind }, name, [error]);
}

/** Replaces all members of an object in place, so that the change is visible through every reference to the object. */
export function replaceMembers(target: Unstructured, source: Unstructured): void {
  const members: Record<string, unknown> = target;
  for (const name of Object.keys(members)) delete members[name];
  for (const [name, member] of Object.entries(source)) setOwnMember(members, name, member);
}
