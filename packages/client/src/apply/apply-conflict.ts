import { StatusError } from "@kubewright/apimachinery";

/** A field that somebody else owns, and would have another value. */
export interface FieldConflict {
  /** `.spec.replicas` */
  readonly field: string;
  /** Who owns it, as the server says it: `"kubectl" using apps/v1`. */
  readonly manager: string;
}

/**
 * What an apply was refused for, field by field; nothing if that was not the reason.
 *
 * @see apimachinery api/errors NewApplyConflict
 */
export function conflictsOf(error: unknown): FieldConflict[] {
  if (!(error instanceof StatusError) || error.reason !== "Conflict") return [];
  return (error.status.details?.causes ?? [])
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field = "", message = "" }) => ({ field, manager: message.replace(/^conflict with /, "") }));
}

/** What to do about it, manager by manager. */
export function explainConflicts(conflicts: readonly FieldConflict[]): string {
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const lines = [...byManager].map(([manager, own]) => `  ${manager} owns ${own.map(({ field }) => field).join(", ")}`);
  return [
    "others own fields that would change:",
    ...lines,
    "leave them out to leave them to their owners, write the value that is there to share them, or take them over by force",
  ].join("\n");
}
