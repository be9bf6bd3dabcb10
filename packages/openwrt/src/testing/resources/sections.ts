import type { Cnf } from "../cnf.ts";
import type { FieldRecord, FieldValue } from "../field-table.ts";
import { isSectionName, type UciSection, type UciValue } from "../uci/section.ts";
import type { ResourceDefinition } from "./definition.ts";

/** Returns an object's name as stored. */
export function nameOf(definition: Pick<ResourceDefinition, "named">, section: UciSection): string {
  const option = section.options.get("name");
  return definition.named && !section.anonymous ? section.id : typeof option === "string" ? option : section.id;
}

/** Returns the section for an object: the one with the object's name as its ID or in its `name` option. */
export function findByName(cnf: Cnf, config: string, type: string, name: string): UciSection | undefined {
  const sections = cnf.uci.sections(config, type);
  return (
    sections.find(({ id, anonymous }) => id === name && !anonymous) ??
    sections.find(({ options }) => options.get("name") === name)
  );
}

/**
 * Adds a section named after its object. If UCI does not allow such a section name, the name is stored as an option;
 * the reference CNF creates no section at all in this case.
 */
export function addNamed(cnf: Cnf, config: string, type: string, name: string): UciSection | undefined {
  if (cnf.quirks || isSectionName(name)) return cnf.uci.add(config, type, name);
  const section = cnf.uci.add(config, type);
  if (section) cnf.uci.set(config, section, "name", name);
  return section;
}

/** Stores a record's fields as options, in the order of the field table. */
export function writeFields(
  cnf: Cnf,
  definition: Pick<ResourceDefinition, "config" | "fields">,
  section: UciSection,
  record: FieldRecord,
  leaveOut: readonly string[] = [],
): void {
  for (const { name, option, fields } of definition.fields) {
    const value = asUci(record[name]);
    if (fields || leaveOut.includes(name) || value === undefined) continue;
    cnf.uci.set(definition.config, section, option ?? name, value);
  }
}

/** Returns the record stored in a section's options. */
export function readFields(definition: Pick<ResourceDefinition, "fields">, section: UciSection): FieldRecord {
  const record: FieldRecord = {};
  for (const { name, option, fields } of definition.fields) {
    const value = fields ? undefined : section.options.get(option ?? name);
    if (value !== undefined) record[name] = value;
  }
  return record;
}

/** Converts a value to the form in which UCI stores it: text. */
export function asUci(value: FieldValue | undefined): UciValue | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "object" ? [] : String(value);
}

/** Returns the items of a list option. A plain option is treated as a list with one item. */
export function listOf(value: FieldValue | UciValue | undefined): readonly string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}
