import { aggregateFieldErrors } from "../error/field-error.ts";
import { apiVersionOf, type GroupVersionKind } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { applySchemaDefaults } from "../schema/apply-defaults.ts";
import { pruneToSchema } from "../schema/prune.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import { validateAgainstSchema } from "../schema/validate.ts";
import { parseJson, stringifyJson } from "../value/json.ts";
import { isRecord } from "../value/json-value.ts";
import { ConversionError } from "./conversion-error.ts";
import { type Body, conversionOf } from "./conversion-step.ts";

/** Annotation for data in a hub object that the spoke cannot represent; see {@link preserving}. */
export const keptDataAnnotation = "conversion.kubewright.dev/kept-data";

const field = `metadata.annotations[${keptDataAnnotation}]`;
/** Maximum total size of the annotations of an object (keys and values), in bytes. */
const maxAnnotationBytes = 256 * 1024;
/**
 * Maximum nesting depth of the annotation's value. Users can write the value, so it needs a limit; the limit exceeds the depth of any
 * schema.
 */
const deepest = 200;

/** Returns the annotation's value, and a copy of the object without the annotation. */
export function takeKeptData<T extends KubeObject>(object: T): { readonly text: string | undefined; readonly rest: T } {
  const { [keptDataAnnotation]: text, ...annotations } = object.metadata.annotations ?? {};
  if (text === undefined) return { text, rest: object };
  const { annotations: _annotations, ...metadata } = object.metadata;
  const left = Object.keys(annotations).length > 0 ? { annotations } : {};
  return { text, rest: { ...object, metadata: { ...metadata, ...left } } };
}

/**
 * Returns a copy of the object whose annotation contains the hub object's body, or only the body's size if the body is
 * too large.
 */
export function withKeptData(object: KubeObject, body: Body, hub: GroupVersionKind): KubeObject {
  const apiVersion = apiVersionOf(hub);
  const others = object.metadata.annotations ?? {};
  const whole = stringifyJson({ apiVersion, body });
  const bytes = Object.entries({ ...others, [keptDataAnnotation]: whole }).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  const text = bytes <= maxAnnotationBytes ? whole : stringifyJson({ apiVersion, bytes: Buffer.byteLength(whole) });
  return { ...object, metadata: { ...object.metadata, annotations: { ...others, [keptDataAnnotation]: text } } };
}

/**
 * Returns the body of the hub object from an annotation, or `undefined` if the body belongs to a different hub version and therefore cannot
 * be used.
 *
 * @throws {ConversionError} if the body was too large for the annotation, or if the annotation is not valid
 */
export function readKeptData(
  text: string,
  object: KubeObject,
  hub: GroupVersionKind,
  schema: StructuralSchema,
): Body | undefined {
  const what = conversionOf(object, hub);
  const remedy = "remove the annotation to discard the data that it keeps";
  const value = parsed(text);
  if (!isRecord(value)) throw new ConversionError(what, field, cut(text), `is not valid kept data; ${remedy}`);
  const apiVersion = apiVersionOf(hub);
  if (value.apiVersion !== apiVersion) return undefined;
  if (typeof value.bytes === "number")
    throw new ConversionError(
      what,
      field,
      `${value.bytes} bytes`,
      `the data that this version cannot represent is too large for the annotation; change the object at ${apiVersion}, or ${remedy}`,
    );
  const body = isRecord(value.body) ? pruneToSchema(value.body, schema) : undefined;
  if (!isRecord(body)) throw new ConversionError(what, field, cut(text), `is not valid kept data; ${remedy}`);
  checkBody(body, schema, (problem) => new ConversionError(what, field, cut(text), `${problem}; ${remedy}`));
  return body;
}

/**
 * Validates a merged object against the hub's schema, so that clients of a spoke cannot store an object that is not valid in the hub
 * version.
 */
export function checkMerged(body: Body, object: KubeObject, hub: GroupVersionKind, schema: StructuralSchema): void {
  checkBody(body, schema, (problem) => {
    const text = object.metadata.annotations?.[keptDataAnnotation] ?? "";
    const remedy = `change the object at ${apiVersionOf(hub)}, or remove the annotation to discard the data that it keeps`;
    return new ConversionError(
      conversionOf(object, hub),
      field,
      cut(text),
      `is not consistent with the current object: ${problem}; ${remedy}`,
    );
  });
}

/** Returns a copy of a body with a schema's defaults, as the API server would add them. */
export function defaulted(body: Body, schema: StructuralSchema): Body {
  const copy = structuredClone(body);
  applySchemaDefaults(copy, schema);
  return copy;
}

function checkBody(body: Body, schema: StructuralSchema, refusal: (problem: string) => ConversionError): void {
  const errors = validateAgainstSchema(body, schema);
  if (errors.length > 0) throw refusal(aggregateFieldErrors(errors));
}

function parsed(text: string): unknown {
  if (Buffer.byteLength(text) > maxAnnotationBytes || depthOf(text) > deepest) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined; // the caller throws the error
  }
}

/** Returns the nesting depth of a JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (isInString) {
      if (char === "\\") i++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === "[" || char === "{") most = Math.max(most, ++depth);
    else if (char === "]" || char === "}") depth--;
  }
  return most;
}

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
