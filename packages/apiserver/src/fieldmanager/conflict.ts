import { quote, StatusError } from "@kubewright/apimachinery";
import type { FieldPath, FieldSet } from "./field-set.ts";
import { type ManagedEntry, managerId } from "./managers.ts";
import { printPath } from "./path-element.ts";

/** A conflict: a field owned by another manager. */
export interface Conflict {
  readonly owner: ManagedEntry;
  readonly path: FieldPath;
}

/**
 * Thrown if an apply causes conflicts; contains all of them. The request fails with a 409 if the conflicts cannot be
 * resolved.
 */
export class ApplyConflicts extends Error {
  override readonly name = "ApplyConflicts";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(conflictMessage(conflicts));
    this.conflicts = conflicts;
  }

  /** Converts the error to an API error with one cause for each conflict. @see apimachinery pkg/util/managedfields NewConflictError */
  toStatusError(): StatusError {
    return new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      reason: "Conflict",
      details: {
        causes: reportedConflicts(this.conflicts).map(({ owner, field }) => ({
          reason: "FieldManagerConflict",
          message: `conflict with ${printManager(owner)}`,
          field,
        })),
      },
      code: 409,
    });
  }
}

/** Returns the conflicts with the given owners, in the order in which they are reported. */
export function conflictsWith(
  owners: readonly { readonly owner: ManagedEntry; readonly fields: FieldSet }[],
): Conflict[] {
  return owners
    .map((o) => ({ ...o, id: managerId(o.owner) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ owner, fields }) => [...fields.paths()].map((path) => ({ owner, path })));
}

/** Maximum number of conflicts in a response, because every field of a large object may have a conflict. */
const maxReported = 1_000;
const maxReportedLength = 256 * 1024;

/** Returns the first conflicts, as many as a response may contain. */
function reportedConflicts(conflicts: readonly Conflict[]): { readonly owner: ManagedEntry; readonly field: string }[] {
  const reported: { owner: ManagedEntry; field: string }[] = [];
  let length = 0;
  for (const { owner, path } of conflicts) {
    if (reported.length === maxReported || length > maxReportedLength) break;
    const field = printPath(path);
    reported.push({ owner, field });
    length += field.length;
  }
  return reported;
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only] = conflicts;
  if (conflicts.length === 1 && only)
    return `Apply failed with 1 conflict: conflict with ${printManager(only.owner)}: ${printPath(only.path)}`;
  const lines: string[] = [];
  const reported = reportedConflicts(conflicts);
  for (const [i, { owner, field }] of reported.entries()) {
    if (owner !== reported[i - 1]?.owner) lines.push(`conflicts with ${printManager(owner)}:`);
    lines.push(`- ${field}`);
  }
  if (reported.length < conflicts.length) lines.push(`and ${conflicts.length - reported.length} more conflicts`);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function printManager({ manager, subresource, operation, apiVersion }: ManagedEntry): string {
  const name = `${quote(manager)}${subresource === "" ? "" : ` with subresource ${quote(subresource)}`}`;
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
