import { type DeepReadonly, isRecord, parseJson, stringifyJson, type Unstructured } from "@kubewright/apimachinery";
import { isTooDeep } from "@kubewright/codec";
import type { TypeSchema } from "@kubewright/codec/schema";
import { compareValues } from "./compare.ts";
import { ApplyConflicts } from "./conflict.ts";
import type { FieldSet } from "./field-set.ts";
import { toFieldSet } from "./to-field-set.ts";

/** Annotation in which client-side apply stores the last applied configuration. */
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** Name of the field manager that migrates from client-side to server-side apply. */
export const migratingManager = "kubectl";

/**
 * Returns the conflicts that remain when a manager migrates from client-side apply and takes over the fields that it
 * applied itself, or `undefined` if none remain.
 *
 * @see apimachinery pkg/util/managedfields lastAppliedManager
 */
export function conflictsBeyondLastApplied(
  error: ApplyConflicts,
  live: DeepReadonly<Unstructured>,
  schema: TypeSchema,
): ApplyConflicts | undefined {
  const allowed = ownedByLastApplied(live, schema);
  if (!allowed) return error;
  const staying = error.conflicts.filter(({ path }) => !allowed.has(path));
  return staying.length > 0 ? new ApplyConflicts(staying) : undefined;
}

/** Returns the fields of the last applied configuration whose values are still the same in the object. */
function ownedByLastApplied(live: DeepReadonly<Unstructured>, schema: TypeSchema): FieldSet | undefined {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  if (!text) return undefined;
  const configuration = parsed(text);
  if (!isRecord(configuration) || configuration.apiVersion !== live.apiVersion) return undefined;
  const { added, modified, removed } = compareValues(configuration, live, schema);
  return toFieldSet(configuration, schema).difference(modified).difference(added).difference(removed);
}

function parsed(text: string): unknown {
  try {
    const value = parseJson(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/**
 * If the object has the annotation with the last applied configuration, updates it to the configuration that
 * server-side apply has applied.
 */
export function refreshLastApplied(object: Unstructured, applied: DeepReadonly<Unstructured>): void {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return;
  const { [lastAppliedAnnotation]: _old, ...others } = applied.metadata.annotations ?? {};
  const configuration = {
    ...applied,
    metadata: { ...applied.metadata, ...(applied.metadata.annotations ? { annotations: others } : {}) },
  };
  annotations[lastAppliedAnnotation] = `${stringifyJson(sorted(configuration))}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
