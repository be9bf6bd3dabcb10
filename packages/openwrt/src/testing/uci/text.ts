import type { UciSection, UciValue } from "./section.ts";

/** Returns the content of `/etc/config/<name>` for the given sections, byte for byte as written by `uci commit`. */
export function renderUci(sections: readonly UciSection[]): string {
  return `${sections.map(renderSection).join("")}\n`;
}

function renderSection({ type, id, anonymous, options }: UciSection): string {
  const lines = [`\nconfig ${type}${anonymous ? "" : ` ${quote(id)}`}\n`];
  for (const [name, value] of options) {
    if (typeof value === "string") lines.push(`\toption ${name} ${quote(value)}\n`);
    else for (const element of value) lines.push(`\tlist ${name} ${quote(element)}\n`);
  }
  return lines.join("");
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** A section in a file. An anonymous section has no ID. */
export interface ParsedSection {
  readonly type: string;
  readonly name?: string | undefined;
  readonly options: Map<string, UciValue>;
}

/** Parses a configuration file. Lines that are neither `config`, `option` nor `list` are ignored. */
export function parseUci(text: string): ParsedSection[] {
  const sections: ParsedSection[] = [];
  for (const line of text.split("\n")) {
    const [keyword, first, second = ""] = words(line);
    if (first === undefined) continue;
    if (keyword === "config") sections.push({ type: first, ...(second && { name: second }), options: new Map() });
    const options = sections.at(-1)?.options;
    if (keyword === "option") options?.set(first, second);
    if (keyword === "list") options?.set(first, [...asList(options.get(first)), second]);
  }
  return sections;
}

function asList(value: UciValue | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

function words(line: string): string[] {
  const found = line.matchAll(/'((?:[^']|'\\'')*)'|"([^"]*)"|(\S+)/g);
  return [...found].map(([, single, double, bare]) => single?.replaceAll("'\\''", "'") ?? double ?? bare ?? "");
}
