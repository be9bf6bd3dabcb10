import { apiVersionOf, type DescribedResource } from "@kubewright/apimachinery";
import type { Cause, FieldChange, ObjectChanges, ReconcileRecord } from "@kubewright/controller";
import { redacted, redactedText } from "./redacted.ts";
import { isSecretName } from "./secret-names.ts";

/** A change of a field, as text without secrets. */
interface ShownChange {
  /** Path of the field, such as `spec.template.containers[0]`. */
  readonly path: string;
  /** Previous value. Absent if the field was added. */
  readonly before?: string | undefined;
  /** New value. Absent if the field was removed. */
  readonly after?: string | undefined;
}

export interface ShownChanges {
  readonly fields: readonly ShownChange[];
  readonly isCut: boolean;
}

const hidden = "(hidden)";
const maxFields = 20;
const longestValue = 200;

/**
 * Returns the parts of a reconcile that a viewer is allowed to see, without secrets.
 *
 * @param kindOf returns the kind of a cause's object if the viewer is allowed to see the object's changes
 */
export function shownReconcile(
  record: ReconcileRecord,
  kindOf: (cause: Cause) => DescribedResource | undefined,
): object {
  return {
    ...withReadableError(record),
    causes: record.causes.map(({ changes, ...cause }) => {
      const kind = changes && kindOf(cause);
      return kind ? { ...cause, changes: shownChanges(changes, kind) } : cause;
    }),
    lines: record.lines.map(({ level, text }) => ({ level, text: redactedText(text) })),
    writes: record.writes.map(withReadableError),
  };
}

/** Hides secrets in an error. */
export const withReadableError = <T extends { readonly error?: string | undefined }>(one: T): T =>
  one.error === undefined ? one : { ...one, error: redactedText(one.error) };

/** Changes that were shown before. Browsers request the same changes every second, and finding the secrets takes time. */
const known = new WeakMap<ObjectChanges, ShownChanges>();

/** Formats the changes to an object. Secrets are hidden in the same way as in the object itself. */
export function shownChanges(changes: ObjectChanges, kind: DescribedResource): ShownChanges {
  const found = known.get(changes);
  if (found) return found;
  const { fields, isCut } = changes;
  const all = fields.flatMap((field) => shownField(field, kind));
  const shown = { fields: all.slice(0, maxFields), isCut: isCut || all.length > maxFields };
  known.set(changes, shown);
  return shown;
}

function shownField(change: FieldChange, kind: DescribedResource): readonly ShownChange[] {
  const { path, isLarge } = change;
  const name = pathText(path);
  if (isLarge) return [{ path: name, before: "(not recorded)", after: "(not recorded)" }];
  const before = "before" in change ? withoutSecretsAt(path, change.before, kind) : undefined;
  const after = "after" in change ? withoutSecretsAt(path, change.after, kind) : undefined;
  // Lists are compared only now, because the name of a secret may be in a field next to its value.
  if (!Array.isArray(before) || !Array.isArray(after)) return [{ path: name, ...textsOf(before, after) }];
  const elements = Array.from({ length: Math.max(before.length, after.length) }, (_, at) => ({
    path: `${name}[${at}]`,
    ...textsOf(before[at], after[at]),
  }));
  const changed = elements.filter((element) => element.before !== element.after);
  // If only a secret has changed, both texts are equal.
  return changed.length > 0 ? changed : [{ path: name, before: hidden, after: hidden }];
}

const textsOf = (before: unknown, after: unknown): Pick<ShownChange, "before" | "after"> => ({
  ...(before === undefined ? {} : { before: textOf(before) }),
  ...(after === undefined ? {} : { after: textOf(after) }),
});

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length > longestValue ? `${text.slice(0, longestValue - 1).toWellFormed()}…` : text;
}

/** Hides secrets in the value at a path: in an object that contains nothing else, so that the names of the fields are known. */
function withoutSecretsAt(path: readonly string[], value: unknown, kind: DescribedResource): unknown {
  // A field within a secret could look like a reference to a secret, because the fields next to it are not known.
  if (path.slice(0, -1).some(isSecretName)) return hidden;
  const nested = path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value);
  const object: unknown = redacted({ ...Object(nested), apiVersion: apiVersionOf(kind), kind: kind.kind }, kind.crd);
  return path.reduce<unknown>((outer, name) => (isRecord(outer) ? outer[name] : outer), object);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a path as text. Names with dots or slashes, such as those of annotations, are in brackets. */
const pathText = (path: readonly string[]): string =>
  path
    .map((name, at) => (/^[\w-]+$/.test(name) ? `${at > 0 ? "." : ""}${name}` : `[${name.slice(0, longestValue)}]`))
    .join("");
