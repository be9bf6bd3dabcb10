import type { TypeSchema } from "@kubewright/codec/schema";
import { type Comparison, compareValues, excludeFields } from "./compare.ts";
import { ApplyConflicts, conflictsWith } from "./conflict.ts";
import { FieldSet } from "./field-set.ts";
import type { ManagedEntry, Managers } from "./managers.ts";
import { mergeApplied } from "./merge.ts";
import { withPrintedStructs } from "./printed-structs.ts";
import { dropNewNulls, removeFields } from "./remove-fields.ts";
import { toFieldSet } from "./to-field-set.ts";

/** Fields whose ownership is not tracked. */
const untracked = FieldSet.of(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`]),
);

type Json = Readonly<Record<string, unknown>>;

/** The manager that makes a write, and the paths that the endpoint does not write. */
export interface Writer {
  readonly id: string;
  readonly entry: Omit<ManagedEntry, "fields">;
  readonly excluded: FieldSet;
}

/**
 * Updates the ownership of fields after an update: the writer becomes the owner of changed fields, and removed fields no longer have an
 * owner.
 *
 * @see structured-merge-diff merge Updater.Update, apimachinery managedFieldsUpdater
 */
export function ownAfterUpdate(live: Json, next: Json, schema: TypeSchema, managers: Managers, writer: Writer): void {
  const comparison = compareTracked(live, next, schema, writer.excluded);
  takeFromOthers(managers, undefined, comparison);
  const acquired = comparison.modified.union(comparison.added).difference(untracked);
  if (acquired.isEmpty) return;
  const previous = managers.get(writer.id)?.fields ?? new FieldSet();
  managers.set(writer.id, { ...writer.entry, fields: acquired.union(previous) });
}

/**
 * Applies a configuration to an object. Returns the resulting object, and updates `managers`.
 *
 * @throws {ApplyConflicts} if other managers own changed fields, unless the apply is forced
 *
 * @see structured-merge-diff merge Updater.Apply
 */
export function applyConfiguration(
  live: Json,
  applied: Json,
  schema: TypeSchema,
  managers: Managers,
  writer: Writer & { readonly force: boolean },
): Record<string, unknown> {
  const merged = mergeApplied(live, applied, schema);
  const last = managers.get(writer.id)?.fields;
  const fields = toFieldSet(applied, schema).recursiveDifference(writer.excluded);
  managers.set(writer.id, { ...writer.entry, fields });
  const pruned = last && !last.isEmpty ? prune(merged, last, schema, managers) : merged;
  const comparison = compareTracked(live, pruned, schema, writer.excluded);
  const conflicts = takeFromOthers(managers, writer.id, comparison, writer.force);
  if (conflicts) throw conflicts;
  const own = fields.difference(untracked);
  if (own.isEmpty) managers.delete(writer.id);
  else managers.set(writer.id, { ...writer.entry, fields: own });
  return (pruned ?? {}) as Record<string, unknown>;
}

function compareTracked(before: unknown, after: unknown, schema: TypeSchema, excluded: FieldSet): Comparison {
  return excludeFields(
    compareValues(withPrintedStructs(before, schema), withPrintedStructs(after, schema), schema),
    excluded,
  );
}

/**
 * Removes changed and deleted fields from all managers except the writer. Unless the apply is forced, the fields of other managers cause
 * conflicts, which are returned.
 */
function takeFromOthers(
  managers: Managers,
  writer: string | undefined,
  { added, modified, removed }: Comparison,
  force = true,
): ApplyConflicts | undefined {
  if (managers.size === 0) return undefined;
  const changed = modified.union(added);
  const others = [...managers].filter(([id]) => id !== writer);
  const losing = others
    .map(([, owner]) => ({ owner, fields: owner.fields.intersection(changed) }))
    .filter(({ fields }) => !fields.isEmpty);
  if (!force && losing.length > 0) return new ApplyConflicts(conflictsWith(losing));
  for (const [id, entry] of others) {
    const left = entry.fields.difference(changed).difference(removed);
    if (left.isEmpty) managers.delete(id);
    else managers.set(id, { ...entry, fields: left });
  }
  return undefined;
}

/** Removes the fields that the manager applied last time but not this time, unless another manager owns them. */
function prune(merged: unknown, last: FieldSet, schema: TypeSchema, managers: Managers): unknown {
  const lastNamed = last.withNamedFields(schema);
  let pruned = removeFields(merged, lastNamed, schema);
  const mergedSet = toFieldSet(merged, schema).withNamedFields(schema);
  const namedSet = (value: unknown): FieldSet => toFieldSet(value, schema).withNamedFields(schema);
  const owned = [...managers.values()].reduce((all, { fields }) => all.union(fields), new FieldSet());
  const kept = namedSet(pruned).union(owned.withNamedFields(schema));
  pruned = removeFields(merged, mergedSet.difference(kept), schema);
  const final = removeFields(merged, mergedSet.difference(namedSet(pruned)).intersection(lastNamed), schema);
  return dropNewNulls(final, merged);
}
