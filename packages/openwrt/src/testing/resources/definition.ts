import type { Cnf } from "../cnf.ts";
import type { Field, FieldRecord } from "../field-table.ts";
import type { UciSection } from "../uci/section.ts";

/**
 * Describes a kind of object, as data where possible. All kinds use the same storage; see `reference-crud` and `crud`.
 */
export interface ResourceDefinition {
  /** Module in the path `sdewan/<module>/v1/<collection>`. */
  readonly module: string;
  readonly collection: string;
  /** Name of the kind in messages. */
  readonly type: string;
  /** Name of the UCI configuration that contains the sections. */
  readonly config: string;
  readonly sectionType: string;
  /** True if the section has the name of the object. Otherwise, the section is anonymous, and the name is an option. */
  readonly named: boolean;
  /** True if the configuration belongs only to this resource and is created on first use. */
  readonly ownsConfig?: boolean | undefined;
  readonly fields: readonly Field[];
  /** True to accept fields that the table does not contain, and to store them unchanged. */
  readonly takesAnyField?: boolean | undefined;
  /**
   * Checks the whole object after its fields have been checked. It may also set fields.
   *
   * @throws {Refusal} if the object is not valid
   */
  readonly check?: ((record: FieldRecord, cnf: Cnf) => void) | undefined;
  /** Reports whether another object needs the object with the given name. */
  readonly isUsed?: ((name: string, cnf: Cnf) => boolean) | undefined;
  /** Returns the commands that add the object to the running system, or remove it from there. */
  readonly commands?:
    | ((record: FieldRecord, operation: "add" | "delete", cnf: Cnf) => readonly (readonly string[])[])
    | undefined;
  /** True if the order of the commands' effects matters. An unchanged command then also runs again after a deletion. */
  readonly isOrdered?: boolean | undefined;
  /** Completes a record that was read from its section. */
  readonly read?: ((record: FieldRecord, section: UciSection, cnf: Cnf) => FieldRecord) | undefined;
  /**
   * Writes the object. By default, its fields become options of one section.
   *
   * @throws {Refusal} if the object cannot be written
   */
  readonly write?: ((record: FieldRecord, cnf: Cnf) => void) | undefined;
  /** Removes the parts of an object that are stored outside its section. */
  readonly removeParts?: ((section: UciSection, name: string, cnf: Cnf) => void) | undefined;
  /** Returns the names of the other sections that an object uses in the same configuration. */
  readonly partNames?: ((record: FieldRecord) => readonly string[]) | undefined;
  /** True if a deletion uses the name as the address of a section, so that `@type[index]` also works. Only in the reference CNF. */
  readonly deletesByAddress?: boolean | undefined;
  /** Returns the error that the reference CNF throws if the configuration is missing. */
  readonly diesWithoutConfig?: (() => Error) | undefined;
}
