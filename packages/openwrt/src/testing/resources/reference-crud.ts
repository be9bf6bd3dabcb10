import type { Cnf } from "../cnf.ts";
import type { FieldRecord } from "../field-table.ts";
import { LuaError, Refusal } from "../response.ts";
import type { UciSection } from "../uci/section.ts";
import type { Crud } from "./crud.ts";
import type { ResourceDefinition } from "./definition.ts";
import { addNamed, nameOf, readFields, writeFields } from "./sections.ts";

/** Storage that behaves like the reference CNF's storage: it loses objects and accepts duplicates. */
export class ReferenceCrud implements Crud {
  readonly #definition: ResourceDefinition;
  readonly #cnf: Cnf;

  constructor(definition: ResourceDefinition, cnf: Cnf) {
    this.#definition = definition;
    this.#cnf = cnf;
  }

  list(): FieldRecord[] {
    const { config, sectionType } = this.#definition;
    return this.#cnf.uci
      .sections(config, sectionType)
      .map((section) => this.#read(section, nameOf(this.#definition, section)));
  }

  get(name: string): FieldRecord | undefined {
    const section = this.#find(name);
    return section && this.#read(section, name);
  }

  create(record: FieldRecord): FieldRecord | null {
    const { config, commands, write } = this.#definition;
    const name = String(record.name);
    if (!this.#cnf.uci.has(config) || this.#cnf.uci.get(config, name)) throw new Refusal(409, "Conflict");
    try {
      if (write) write(record, this.#cnf);
      else this.#write(record, name);
    } catch (error) {
      if (error instanceof Refusal) this.#cnf.uci.revert(config);
      throw error;
    }
    for (const argv of commands?.(record, "add", this.#cnf) ?? []) this.#cnf.shell.run(argv);
    this.#cnf.uci.commit(config);
    return this.get(name) ?? null;
  }

  update(record: FieldRecord): FieldRecord | null {
    const name = String(record.name);
    if (this.get(name)) this.#remove(name);
    return this.create(record);
  }

  delete(name: string): void {
    const { type, isUsed } = this.#definition;
    if (!this.get(name)) throw new Refusal(404, `${type} ${name} is not defined`);
    if (isUsed?.(name, this.#cnf)) throw new Refusal(400, `${type} ${name} is used`);
    this.#remove(name);
  }

  #remove(name: string): void {
    const { config, sectionType, commands, removeParts, deletesByAddress } = this.#definition;
    const { uci, shell } = this.#cnf;
    for (const argv of commands?.(this.get(name) ?? {}, "delete", this.#cnf) ?? []) shell.run(argv);
    const addressed = deletesByAddress ? uci.get(config, name) : undefined;
    const gone = addressed
      ? [addressed]
      : uci.sections(config, sectionType).filter(({ id, options }) => id === name || options.get("name") === name);
    for (const section of gone) {
      removeParts?.(section, name, this.#cnf);
      uci.remove(config, section);
    }
    uci.commit(config);
  }

  #find(name: string): UciSection | undefined {
    const { config, sectionType, diesWithoutConfig } = this.#definition;
    const { uci } = this.#cnf;
    if (!uci.has(config)) {
      throw (
        diesWithoutConfig?.() ?? new LuaError("utils", 204, "attempt to index local 'object_data' (a boolean value)")
      );
    }
    const section = uci.get(config, name);
    if (section) return section.type === sectionType ? section : undefined;
    return uci.sections(config, sectionType).find(({ options }) => options.get("name") === name);
  }

  #read(section: UciSection, name: string): FieldRecord {
    const record = readFields(this.#definition, section);
    if (this.#definition.named) record.name = name;
    return this.#definition.read?.(record, section, this.#cnf) ?? record;
  }

  #write(record: FieldRecord, name: string): void {
    const { config, sectionType, named } = this.#definition;
    const section = named ? addNamed(this.#cnf, config, sectionType, name) : this.#cnf.uci.add(config, sectionType);
    if (section) writeFields(this.#cnf, this.#definition, section, record, named ? ["name"] : []);
  }
}
