import { apiVersionOf, type GroupVersionKind } from "../object/kind.ts";
import { type KubeObject, mutableCopy, type ObjectMeta } from "../object/object.ts";
import { isRecord, jsonEqual } from "../value/json-value.ts";
import { ConversionError } from "./conversion-error.ts";
import { jsonCopy, NotJson } from "./json-copy.ts";

/** Fields of an object other than its type and metadata: spec, status and others. */
export type Body = Readonly<Record<string, unknown>>;

export function bodyOf(object: KubeObject): Body {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...body } = object;
  return body;
}

/** Returns the prefix of error messages, such as `converting Site.shop.example.com "web/north" from v1beta1 to v1`. */
export function conversionOf({ kind, metadata, apiVersion }: KubeObject, to: GroupVersionKind): string {
  const key = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
  return `converting ${kind}.${to.group} "${key}" from ${apiVersion.slice(apiVersion.indexOf("/") + 1)} to ${to.version}`;
}

/**
 * Calls one conversion function. Returns its result as an object of the target version, with the metadata of the original object.
 *
 * @throws {ConversionError} if the function did not return an object, or returned a different object
 */
export function conversionStep<S extends KubeObject>(
  object: S,
  to: GroupVersionKind,
  convert: (object: S) => unknown,
): KubeObject {
  const what = conversionOf(object, to);
  // `mutableCopy` only removes the read-only modifiers of `S`.
  const copy: unknown = mutableCopy(object);
  const result = convert(copy as S);
  if (!isRecord(result))
    throw new ConversionError(what, "object", result ?? null, "must be returned by toHub and fromHub");
  if (typeof result.then === "function")
    throw new ConversionError(
      what,
      "object",
      "a promise",
      "must be returned directly by toHub and fromHub, which cannot be asynchronous",
    );
  const { apiVersion = object.apiVersion, kind = to.kind, metadata, ...body } = result;
  const wanted = apiVersionOf(to);
  if (apiVersion !== wanted && apiVersion !== object.apiVersion)
    throw new ConversionError(what, "apiVersion", apiVersion, `must be ${wanted} or absent`);
  if (kind !== to.kind) throw new ConversionError(what, "kind", kind, `must be ${to.kind} or absent`);
  try {
    const copied: unknown = jsonCopy(body);
    return {
      apiVersion: wanted,
      kind: to.kind,
      metadata: convertedMetadata(object.metadata, metadata, what),
      ...(copied as Body),
    };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new ConversionError(what, error.path, String(error.value), "must be a value that JSON supports");
  }
}

/** Returns the metadata of the original object, with the labels and annotations that the function returned. */
function convertedMetadata(before: ObjectMeta, returned: unknown, what: string): ObjectMeta {
  const metadata = mutableCopy(before);
  if (returned === undefined) return metadata;
  if (!isRecord(returned))
    throw new ConversionError(what, "metadata", returned, "must be an object with labels, annotations or both");
  const known: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(returned)) {
    if (name === "labels" || name === "annotations") metadata[name] = texts(value, `metadata.${name}`, what);
    else if (value !== undefined && !jsonEqual(value, known[name]) && !jsonEqual(jsonCopy(value), known[name]))
      throw new ConversionError(
        what,
        `metadata.${name}`,
        value,
        `must stay ${JSON.stringify(known[name]) ?? "absent"}: a conversion may change only labels and annotations`,
      );
  }
  for (const name of ["labels", "annotations"] as const)
    if (Object.keys(metadata[name] ?? {}).length === 0) delete metadata[name];
  return metadata;
}

function texts(value: unknown, field: string, what: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw new ConversionError(what, field, value, "must be an object whose values are strings");
  const entries = Object.entries(value).filter((entry): entry is [string, string] => {
    if (entry[1] !== undefined && typeof entry[1] !== "string")
      throw new ConversionError(what, `${field}[${entry[0]}]`, entry[1], "must be a string");
    return entry[1] !== undefined;
  });
  return Object.fromEntries(entries);
}
