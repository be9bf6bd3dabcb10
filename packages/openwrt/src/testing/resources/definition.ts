import type { Cnf } from "../cnf.ts";
import type { Field, FieldRecord } from "../field-table.ts";
import type { UciSection } from "../uci/section.ts";

/** What a kind of object is, as data where possible. How objects are kept is the same for all, see `reference-crud` and `crud`. */
export interface ResourceDefinition {
  /** Of the address: `sdewan/<module>/v1/<collection>`. */
  readonly module: string;
  readonly collection: string;
  /** What messages call an object. */
  readonly type: string;
  /** UCI configuration and section type. */
  readonly config: string;
  readonly sectionType: string;
  /** The section bears the object's name; otherwise it has none, and the name is an option. */
  readonly named: boolean;
  /** The configuration belongs to this resource alone and is made at its first use. */
  readonly ownsConfig?: boolean;
  readonly fields: readonly Field[];
  /** Fields that are not in the table are taken too, as they come. */
  readonly takesAnyField?: boolean;
  /** Check of the whole object, after the fields. May fill in fields. Throws a `Refusal`. */
  readonly check?: (record: FieldRecord, cnf: Cnf) => void;
  /** Whether another object needs the one of this name. */
  readonly isUsed?: (name: string, cnf: Cnf) => boolean;
  /** Commands that bring the object into the running system, or take it out again. */
  readonly commands?: (record: FieldRecord, operation: "add" | "delete", cnf: Cnf) => readonly (readonly string[])[];
  /** Completes what was read from the section. */
  readonly read?: (record: FieldRecord, section: UciSection, cnf: Cnf) => FieldRecord;
  /** Writes the object; default: its fields as options of one section. Throws a `Refusal` where that cannot be. */
  readonly write?: (record: FieldRecord, cnf: Cnf) => void;
  /** Removes what belongs to the object besides its section. */
  readonly removeParts?: (section: UciSection, name: string, cnf: Cnf) => void;
  /** Names of sections of the same configuration that the object takes besides its own. */
  readonly partNames?: (record: FieldRecord) => readonly string[];
  /** Deletes go by the section's address, so `@type[index]` works (reference only). */
  readonly deletesByAddress?: boolean;
  /** What the reference dies of when the configuration is missing. */
  readonly diesWithoutConfig?: () => Error;
}
