import type { Cnf } from "../cnf.ts";
import type { FieldRecord } from "../field-table.ts";
import { Refusal } from "../response.ts";
import type { UciSection } from "../uci/section.ts";
import type { ResourceDefinition } from "./definition.ts";
import { addNamed, findByName, nameOf, readFields, writeFields } from "./sections.ts";

/** Operations on the objects of a collection. */
export interface Crud {
  list(): FieldRecord[];
  get(name: string): FieldRecord | undefined;
  /** Creates an object, and returns it as stored. Returns null if storing failed without an error. */
  create(record: FieldRecord): FieldRecord | null;
  update(record: FieldRecord): FieldRecord | null;
  delete(name: string): void;
}

type Argv = readonly string[];
/** Matches the errors of commands that remove an object that no longer exists. They are treated as success. */
const alreadyGone = /does a matching rule exist|No such (process|file)/;

interface Step {
  readonly run: Argv;
  readonly undo: Argv;
}

/** Reliable storage: accepts any name, rejects duplicates, and makes each change completely or not at all. */
export class AtomicCrud implements Crud {
  readonly #definition: ResourceDefinition;
  readonly #cnf: Cnf;

  constructor(definition: ResourceDefinition, cnf: Cnf) {
    this.#definition = definition;
    this.#cnf = cnf;
  }

  list(): FieldRecord[] {
    const { config, sectionType } = this.#definition;
    return this.#cnf.uci.sections(config, sectionType).map((section) => this.#read(section));
  }

  get(name: string): FieldRecord | undefined {
    const section = this.#find(name);
    return section && this.#read(section);
  }

  create(record: FieldRecord): FieldRecord {
    return this.#put(record, undefined);
  }

  update(record: FieldRecord): FieldRecord {
    return this.#put(record, this.#find(String(record.name)));
  }

  delete(name: string): void {
    const { config, type, isUsed } = this.#definition;
    const section = this.#find(name);
    if (!section) throw new Refusal(404, `${type} ${name} is not defined`);
    if (isUsed?.(name, this.#cnf)) throw new Refusal(400, `${type} ${name} is used`);
    this.#execute(this.#steps(this.#read(section), undefined));
    this.#remove(section);
    this.#cnf.uci.commit(config);
  }

  #put(record: FieldRecord, old: UciSection | undefined): FieldRecord {
    const { config, sectionType, named, write } = this.#definition;
    this.#refuseTakenNames(record, old);
    this.#execute(this.#steps(old && this.#read(old), record));
    if (old) this.#remove(old);
    const name = String(record.name);
    if (write) write(record, this.#cnf);
    else {
      const section = named ? addNamed(this.#cnf, config, sectionType, name) : this.#cnf.uci.add(config, sectionType);
      if (section) writeFields(this.#cnf, this.#definition, section, record, named ? ["name"] : []);
    }
    this.#cnf.uci.commit(config);
    return this.get(name) ?? record;
  }

  #refuseTakenNames(record: FieldRecord, old: UciSection | undefined): void {
    const { config, partNames, named } = this.#definition;
    const own = old ? [nameOf(this.#definition, old), ...(partNames?.(this.#read(old)) ?? [])] : [];
    const wanted = [String(record.name), ...(partNames?.(record) ?? [])];
    const others = this.#cnf.uci
      .sections(config)
      .filter((section) => named || section.type === this.#definition.sectionType);
    const taken = others.map((section) => nameOf({ named: true }, section)).filter((name) => !own.includes(name));
    if (wanted.some((name) => taken.includes(name)) || new Set(wanted).size < wanted.length) {
      throw new Refusal(409, "Conflict");
    }
  }

  /** Returns the steps that change the old object into the new one. */
  #steps(old: FieldRecord | undefined, record: FieldRecord | undefined): Step[] {
    const taken = old ? this.#pairs(old) : [];
    const added = record ? this.#pairs(record) : [];
    const same = (one: Step, other: Step): boolean =>
      !this.#definition.isOrdered && one.run.join(" ") === other.run.join(" ");
    return [
      ...taken
        .filter((step) => !added.some((other) => same(step, other)))
        .map(({ run, undo }) => ({ run: undo, undo: run })),
      ...added.filter((step) => !taken.some((other) => same(step, other))),
    ];
  }

  #pairs(record: FieldRecord): Step[] {
    const { commands } = this.#definition;
    const undos = commands?.(record, "delete", this.#cnf) ?? [];
    return (commands?.(record, "add", this.#cnf) ?? []).map((run, index) => ({ run, undo: undos[index] ?? [] }));
  }

  #execute(steps: readonly Step[]): void {
    const done: Step[] = [];
    for (const step of steps) {
      const { exitCode, stderr } = this.#cnf.shell.run(step.run);
      if (exitCode !== 0 && !alreadyGone.test(stderr)) {
        for (const { undo } of done.toReversed()) this.#cnf.shell.run(undo);
        throw new Refusal(500, `${step.run.join(" ")} failed with exit status ${exitCode}: ${stderr}`);
      }
      done.push(step);
    }
  }

  #remove(section: UciSection): void {
    this.#definition.removeParts?.(section, nameOf(this.#definition, section), this.#cnf);
    this.#cnf.uci.remove(this.#definition.config, section);
  }

  #find(name: string): UciSection | undefined {
    return findByName(this.#cnf, this.#definition.config, this.#definition.sectionType, name);
  }

  #read(section: UciSection): FieldRecord {
    const record = readFields(this.#definition, section);
    if (this.#definition.named) record.name = nameOf(this.#definition, section);
    return this.#definition.read?.(record, section, this.#cnf) ?? record;
  }
}
