import type { FlagSpec, FlagTable } from "./flag-table.ts";

/** Formats flags by section as Go programs do: one flag per line, with its type and default. */
export function flagList(table: FlagTable, note: (spec: FlagSpec) => string): string {
  const lines: string[] = [];
  const specs = [...table.values()];
  const width = Math.max(...specs.map((spec) => shown(spec).length));
  for (const [section, members] of Map.groupBy(specs, (spec) => spec.section)) {
    lines.push("", `${section} flags:`, "");
    for (const spec of members) {
      const fallback = spec.default === undefined ? "" : `(default ${spec.default})`;
      const text = [note(spec), fallback].filter(Boolean).join(" ");
      lines.push(`      ${shown(spec).padEnd(text === "" ? 0 : width + 3)}${text}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

const shown = ({ name, type, allowed }: FlagSpec): string => {
  if (type === "bool") return `--${name}`;
  return `--${name} ${allowed ? allowed.join("|") : type}`;
};
