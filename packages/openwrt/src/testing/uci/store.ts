import { anonymousId, isSectionName, type UciSection, type UciValue } from "./section.ts";
import { parseUci, renderUci } from "./text.ts";

interface MutableSection extends UciSection {
  readonly options: Map<string, UciValue>;
}

interface UciPackage {
  text: string;
  committed: readonly MutableSection[];
  staged: MutableSection[];
  isChanged: boolean;
}

/** A CNF's UCI configurations. Every reader sees changes as soon as they are staged; `commit` writes them to the file. */
export class Uci {
  readonly #packages = new Map<string, UciPackage>();

  /** Creates the configurations from their files. @param files text of each configuration, keyed by name */
  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [config, text] of Object.entries(files)) this.load(config, text);
  }

  /** Replaces an entire configuration, as an editor would. */
  load(config: string, text: string): void {
    const sections = parseUci(text).map(({ type, name, options }, index) => ({
      id: name ?? anonymousId(type, index + 1),
      type,
      anonymous: name === undefined,
      options,
    }));
    this.#packages.set(config, { text, committed: sections, staged: copy(sections), isChanged: false });
  }

  has(config: string): boolean {
    return this.#packages.has(config);
  }

  /** Creates an empty configuration if it does not exist. */
  ensure(config: string): void {
    if (!this.has(config)) this.load(config, "");
  }

  /** Returns all sections of a configuration, or those of one type, in the order of the file. */
  sections(config: string, type?: string): readonly UciSection[] {
    const all = this.#packages.get(config)?.staged ?? [];
    return type === undefined ? all : all.filter((section) => section.type === type);
  }

  /** Returns the section with an ID, or the section at `@type[index]`. A negative index counts from the end. */
  get(config: string, id: string): UciSection | undefined {
    const [, type, index] = /^@(\w+)\[(-?\d+)\]$/.exec(id) ?? [];
    if (type !== undefined && index !== undefined) return this.sections(config, type).at(Number(index));
    return this.sections(config).find((section) => section.id === id);
  }

  /** Returns the position of a section in its configuration, counted from 0. */
  indexOf(config: string, section: UciSection): number {
    return this.sections(config).indexOf(section);
  }

  /** Adds a section at the end. Returns undefined if the name is not valid in UCI, or if the configuration does not exist. */
  add(config: string, type: string, name?: string): UciSection | undefined {
    const owner = this.#packages.get(config);
    if (!owner || (name !== undefined && !isSectionName(name))) return undefined;
    const id = name ?? anonymousId(type, owner.staged.length + 1);
    const section = { id, type, anonymous: name === undefined, options: new Map<string, UciValue>() };
    owner.staged.push(section);
    owner.isChanged = true;
    return section;
  }

  /** Sets an option or a list. An empty list is treated as absent. */
  set(config: string, section: UciSection, option: string, value: UciValue): void {
    const owner = this.#packages.get(config);
    const mine = owner?.staged.find((candidate) => candidate === section);
    if (!owner || !mine || value.length === 0) return;
    mine.options.set(option, value);
    owner.isChanged = true;
  }

  unset(config: string, section: UciSection, option: string): void {
    const owner = this.#packages.get(config);
    const mine = owner?.staged.find((candidate) => candidate === section);
    if (owner && mine?.options.delete(option)) owner.isChanged = true;
  }

  remove(config: string, section: UciSection): void {
    const owner = this.#packages.get(config);
    const index = owner?.staged.findIndex((candidate) => Object.is(candidate, section)) ?? -1;
    if (!owner || index < 0) return;
    owner.staged.splice(index, 1);
    owner.isChanged = true;
  }

  /** Writes staged changes to the file. Anonymous sections get new numbers. */
  commit(config: string): void {
    const owner = this.#packages.get(config);
    if (!owner?.isChanged) return;
    owner.staged = owner.staged.map((section, index) =>
      section.anonymous ? { ...section, id: anonymousId(section.type, index + 1) } : section,
    );
    owner.committed = copy(owner.staged);
    owner.text = renderUci(owner.committed);
    owner.isChanged = false;
  }

  /** Drops the staged changes to a configuration. */
  revert(config: string): void {
    const owner = this.#packages.get(config);
    if (!owner?.isChanged) return;
    owner.staged = copy(owner.committed);
    owner.isChanged = false;
  }

  /** Returns the text of a configuration's file, without staged changes. */
  text(config: string): string | undefined {
    return this.#packages.get(config)?.text;
  }

  /** Returns the text of each configuration's file. */
  texts(): Record<string, string> {
    return Object.fromEntries(this.#packages.entries().map(([config, { text }]) => [config, text]));
  }
}

function copy(sections: readonly MutableSection[]): MutableSection[] {
  return sections.map((section) => ({ ...section, options: new Map(section.options) }));
}
