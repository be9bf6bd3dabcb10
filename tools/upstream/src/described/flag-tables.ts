import { type GeneratedFile, readRepositoryFile, tableModule } from "../generated-file.ts";
import type { DescribedFlag } from "./server-description.ts";

const path = "packages/cli/src/kube-apiserver/flag-lines.ts";

/** Types of the flags whose type in the help differs from their Go type. */
const typesByName: Readonly<Record<string, string>> = {
  "feature-gates": "featureGates",
  "runtime-config": "configurationMap",
};

const withoutMeaning: ReadonlySet<string> = new Set(["", "false", "0", "0s", "[]", "<nil>"]);

/**
 * Returns the names of the flags that our replacement for kube-apiserver reads: the flags that have a type in the
 * existing table.
 */
export function flagsWithEffect(root: string): ReadonlySet<string> {
  const [, table = ""] = /flagLines = `([^`]*)`/.exec(readRepositoryFile(root, path)) ?? [];
  return new Set([...table.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name));
}

/**
 * Returns a line for each flag, in the form `name type default`, in the order of the help: its sections first, and
 * then the global flags.
 */
function flagLines(flags: readonly DescribedFlag[]): string[] {
  const sections = new Map<string, string[]>();
  for (const flag of unique(flags)) {
    const section = flag.section.charAt(0).toUpperCase() + flag.section.slice(1);
    const text = flag.default.replace(/^\[(.*)\]$/, "$1");
    const shown = withoutMeaning.has(flag.default) || text === "" || flag.name === "version" ? "" : ` ${text}`;
    const type = typesByName[flag.name] ?? flag.type;
    sections.set(section, [...(sections.get(section) ?? []), `  ${flag.name} ${type}${shown}`]);
  }
  return [...sections]
    .sort(([a], [b]) => Number(a === "Global") - Number(b === "Global"))
    .flatMap(([name, lines]) => [`${name}:`, ...lines]);
}

/** Returns the tables of flags. @param read names of the flags that have an effect */
export function flagTables(flags: readonly DescribedFlag[], read: ReadonlySet<string>): GeneratedFile {
  const others = unique(flags).filter(({ name }) => !read.has(name));
  const names = (isSwitch: boolean): string[] =>
    filled(others.filter(({ type }) => (type === "bool") === isSwitch).map(({ name }) => name));
  return tableModule(path, "kube-apiserver", [
    {
      name: "flagLines",
      comment: "Flags that have an effect, grouped by section. Each line contains a flag's name, type and default.",
      lines: flagLines(flags.filter(({ name }) => read.has(name))),
    },
    { name: "ignoredFlags", comment: "Names of flags that take a value but have no effect.", lines: names(false) },
    { name: "ignoredSwitches", comment: "Names of boolean flags that have no effect.", lines: names(true) },
  ]);
}

const unique = (flags: readonly DescribedFlag[]): DescribedFlag[] =>
  flags.filter(({ name }, i) => flags.findIndex((flag) => flag.name === name) === i);

/** Joins sorted names into lines. */
function filled(names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of [...names].sort()) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${name}`.length <= 120) lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(name);
  }
  return lines;
}
