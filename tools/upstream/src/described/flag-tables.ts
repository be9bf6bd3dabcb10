import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { DescribedFlag } from "./server-description.ts";

/** Flags whose type in the help differs from Go's type. */
const typesByName: Readonly<Record<string, string>> = {
  "feature-gates": "featureGates",
  "runtime-config": "configurationMap",
};
const types: Readonly<Record<string, string>> = { float32: "float", Level: "level", "pattern=N,...": "moduleSpec" };

const withoutMeaning: ReadonlySet<string> = new Set(["", "false", "0", "0s", "[]", "<nil>"]);

/** Returns lines of the form `name type default` as in the help: its sections in order, then hidden flags, then global flags. */
export function flagLines(flags: readonly DescribedFlag[]): string[] {
  const seen = new Set<string>();
  const sections = new Map<string, string[]>();
  for (const flag of flags) {
    if (seen.has(flag.name)) continue;
    seen.add(flag.name);
    const section = flag.isHidden ? "Hidden" : flag.section.charAt(0).toUpperCase() + flag.section.slice(1);
    const text = flag.default.replace(/^\[(.*)\]$/, "$1");
    const shown = withoutMeaning.has(flag.default) || text === "" || flag.name === "version" ? "" : ` ${text}`;
    const type = typesByName[flag.name] ?? types[flag.type] ?? flag.type;
    sections.set(section, [...(sections.get(section) ?? []), `  ${flag.name} ${type}${shown}`]);
  }
  const last = (name: string) => (name === "Global" ? 2 : name === "Hidden" ? 1 : 0);
  return [...sections]
    .sort(([a], [b]) => last(a) - last(b))
    .flatMap(([name, lines]) => [`${name}:`, ...(last(name) === 1 ? lines.sort() : lines)]);
}

export function flagTables(flags: readonly DescribedFlag[]): GeneratedFile {
  const deprecated = flags.filter((flag) => flag.deprecated !== "");
  return tableModule("packages/cli/src/kube-apiserver/flag-lines.ts", "kube-apiserver", [
    {
      name: "flagLines",
      comment: "Flags of kube-apiserver, by section: name, type and default of each.",
      lines: flagLines(flags),
    },
    {
      name: "deprecationLines",
      comment: "Messages that kube-apiserver prints for deprecated flags: name, then text.",
      lines: deprecated.map(({ name, deprecated: text }) => `${name} ${text}`).sort(),
    },
  ]);
}
