import {
  aggregateFieldErrors,
  fieldError,
  fieldPath,
  isRecord,
  ownMember,
  type StatusError,
  type Unstructured,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { labelErrors } from "@kubewright/apiserver/registry";
import { unexplained } from "@kubewright/codec";
import type { StoredObject } from "@kubewright/storage";

/** Formats an object's type for messages: `example.com/v1, Kind=Host`. */
export const gvkText = ({ apiVersion, kind }: StoredObject): string => `${apiVersion}, Kind=${kind}`;

interface Wanted {
  /** Start of the error message, such as `conversion webhook for …`. */
  readonly what: string;
  readonly apiVersion: string;
  /** Index of the object if several objects are converted; absent for a single object. */
  readonly index?: number;
}

/**
 * Returns an object converted by a webhook, with its original metadata restored. The webhook may change only labels and
 * annotations.
 *
 * @throws {StatusError} 500 if the webhook returned a different object
 *
 * @see apiextensions-apiserver pkg/apiserver/conversion validateConvertedObject, restoreObjectMeta
 */
export function restoreMetadata(
  original: StoredObject,
  converted: Readonly<Record<string, unknown>>,
  { what, apiVersion, index }: Wanted,
): Unstructured {
  const several = index !== undefined;
  const fail = (single: string, listed: string, why: string): StatusError =>
    unexplained(`${what} returned ${several ? `${listed} at index ${index}` : single}: ${why}`);
  const invalid = (why: string): StatusError => fail("invalid object", "invalid converted object", why);
  const other = (why: string): StatusError => fail("invalid object at index 0", "invalid converted object", why);
  if (converted.apiVersion !== apiVersion)
    throw other(`invalid groupVersion (expected ${apiVersion}, received ${String(converted.apiVersion ?? "")})`);
  if (converted.kind !== original.kind)
    throw other(`invalid kind (expected ${original.kind}, received ${String(converted.kind)})`);
  const given = isRecord(converted.metadata) ? converted.metadata : {};
  for (const [title, field] of identity) {
    const [before, after] = [original.metadata[field] ?? "", typeof given[field] === "string" ? given[field] : ""];
    if (before !== after) throw invalid(`must have the same ${title}: ${before} != ${after}`);
  }
  const metadata = structuredClone(original.metadata) as Unstructured["metadata"];
  try {
    for (const field of ["labels", "annotations"] as const) {
      const strings = stringsIn(given[field], field);
      if (!strings) delete metadata[field];
      else {
        checkStrings(strings, metadata[field] ?? {}, field);
        metadata[field] = strings;
      }
    }
  } catch (error) {
    throw fail(
      "invalid metadata",
      "invalid metadata in object",
      error instanceof Error ? error.message : String(error),
    );
  }
  return { ...converted, apiVersion, kind: original.kind, metadata };
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["UID", "uid"],
] as const;

function stringsIn(value: unknown, field: string): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw new Error(`invalid metadata.${field} of type ${goType(value)} in converted object`);
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      if (typeof text !== "string")
        throw new Error(`metadata.${field}[${key}] must be a string, but is ${goType(text)} in converted object`);
      return [key, text];
    }),
  );
}

function checkStrings(
  strings: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
  field: "labels" | "annotations",
): void {
  const keys = Object.keys(strings);
  if (keys.length === Object.keys(before).length && keys.every((key) => strings[key] === ownMember(before, key)))
    return;
  const errors =
    field === "labels"
      ? labelErrors(strings, fieldPath("metadata", "labels"))
      : keys.flatMap((key) =>
          validateQualifiedName(key.toLowerCase()).map((text) => fieldError.invalid("metadata.annotation", key, text)),
        );
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors));
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (value === null) return "<nil>";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "object" ? "map[string]interface {}" : typeof value;
}
