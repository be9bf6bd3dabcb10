import type { Cnf } from "../cnf.ts";
import type { Field, FieldRecord } from "../field-table.ts";
import type { UciSection } from "../uci/section.ts";

/** Description of a kind of object, as data where possible. All kinds use the same storage, see `reference-crud` and `crud`. */
export interface ResourceDefinition {
  /** Part of the path: `sdewan/<module>/v1/<collection>`. */
  readonly module: string;
  readonly collection: string;
  /** Name of the kind in messages. */
  readonly type: string;
  /** UCI configuration and section type. */
  readonly config: string;
  readonly sectionType: string;
  /** True if the section has the object's name; otherwise it is anonymous, and the name is an option. */
  readonly named: boolean;
  /** True if the configuration belongs only to this resource and is created on first use. */
  readonly ownsConfig?: boolean | undefined;
  readonly fields: readonly Field[];
  /** True to also accept fields that are not in the table, unchanged. */
  readonly takesAnyField?: boolean | undefined;
  /**
   * Checks the whole object after its fields. May fill in fields.
   *
   * @throws {Refusal} if it is not valid
   */
  readonly check?: ((record: FieldRecord, cnf: Cnf) => void) | undefined;
  /** Reports whether another object needs the one with this name. */
  readonly isUsed?: ((name: string, cnf: Cnf) => boolean) | undefined;
  /** Returns the commands that add the object to the running system, or remove it. */
  readonly commands?:
    | ((record: FieldRecord, operation: "add" | "delete", cnf: Cnf) => readonly (readonly string[])[])
    | undefined;
  /** Completes the record read from the section. */
  readonly read?: ((record: FieldRecord, section: UciSection, cnf: Cnf) => FieldRecord) | undefined;
  /**
   * Writes the object. Default: its fields as options of one section.
   *
   * @throws {Refusal} if it cannot be written
   */
  readonly write?: ((record: FieldRecord, cnf: Cnf) => void) | undefined;
  /** Removes parts of the object outside of its section. */
  readonly removeParts?: ((section: UciSection, name: string, cnf: Cnf) => void) | undefined;
  /** Returns the names of further sections that the object uses in the same configuration. */
  readonly partNames?: ((record: FieldRecord) => readonly string[]) | undefined;
  /** True if deletions use the section's address, so that `@type[index]` works (reference only). */
  readonly deletesByAddress?: boolean | undefined;
  /** Returns the error that the reference throws if the configuration is missing. */
  readonly diesWithoutConfig?: (() => Error) | undefined;
}
