import type { FlagSpec, FlagTable } from "./flag-table.ts";

/** The flags by section, as Go's programs list them: one a line, with type and default. */
export function flagList(table: FlagTable, note: (spec: FlagSpec) => string): string {
  const lines: string[] = [];
  let section = "";
  const width = Math.max(...[...table.values()].map((spec) => shown(spec).length));
  for (const spec of table.values()) {
    if (spec.section !== section) {
      section = spec.section;
      lines.push("", `${section} flags:`, "");
    }
    const fallback = spec.default === undefined ? "" : `(default ${spec.default})`;
    const text = [note(spec), fallback].filter(Boolean).join(" ");
    lines.push(`      ${shown(spec).padEnd(text === "" ? 0 : width + 3)}${text}`);
  }
  return `${lines.join("\n")}\n`;
}

const shown = ({ name, type, allowed }: FlagSpec): string => {
  if (type === "bool") return `--${name}`;
  return `--${name} ${allowed ? allowed.join("|") : type}`;
};
