import { StatusError } from "@kubewright/apimachinery";

/** A field that another manager owns, and that the apply would change. */
export interface FieldConflict {
  /** Path of the field: `.spec.replicas` */
  readonly field: string;
  /** Owner of the field, as reported by the server: `"kubectl" using apps/v1`. */
  readonly manager: string;
}

/**
 * Returns the conflicts for which an apply was refused, one per field; an empty array if that was not the reason.
 *
 * @see apimachinery api/errors NewApplyConflict
 */
export function conflictsOf(error: unknown): FieldConflict[] {
  if (!(error instanceof StatusError) || error.reason !== "Conflict") return [];
  return (error.status.details?.causes ?? [])
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field = "", message = "" }) => ({ field, manager: message.replace(/^conflict with /, "") }));
}

/** Returns a text with the conflicts, by manager, and the remedies. */
export function explainConflicts(conflicts: readonly FieldConflict[]): string {
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const lines = [...byManager].map(([manager, own]) => `  ${manager} owns ${own.map(({ field }) => field).join(", ")}`);
  return [
    "others own fields that would change:",
    ...lines,
    "omit these fields, write their current values to share ownership, or take ownership with force",
  ].join("\n");
}
