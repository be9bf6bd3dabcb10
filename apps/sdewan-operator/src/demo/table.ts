import { stripVTControlCharacters, styleText } from "node:util";
import { type CnfRow, isSettled, type ObjectRow } from "./snapshot.ts";

export interface TableOptions {
  readonly colours: boolean;
  /** Longer lines are cut. */
  readonly width?: number;
}

/** The custom resources as a table, one line each. */
export function objectTable(rows: readonly ObjectRow[], options: TableOptions): string[] {
  const lines = rows.map(({ kind, namespace, name, purpose, state, message }) => [
    kind,
    namespace,
    name,
    purpose,
    paint(options, isSettled({ kind, namespace, name, purpose, state, message }) ? "green" : "yellow", state || "-"),
    message,
  ]);
  return table(["KIND", "NAMESPACE", "NAME", "PURPOSE", "STATE", "MESSAGE"], lines, options);
}

/** The CNF pods as a table: how many objects of what they hold. */
export function cnfTable(rows: readonly CnfRow[], options: TableOptions): string[] {
  const lines = rows.map(({ pod, namespace, purpose, ip, config }) => [
    namespace,
    pod,
    purpose,
    ip || "-",
    held(config),
  ]);
  return table(["NAMESPACE", "CNF POD", "PURPOSE", "IP", "HOLDS"], lines, options);
}

function held(config: CnfRow["config"]): string {
  const counts = Object.entries(config).flatMap(([path, answer]) => {
    const [list] = Object.values(answer ?? {});
    return Array.isArray(list) && list.length > 0 ? [`${path.replace("/v1/", " ")} ${list.length}`] : [];
  });
  return counts.join(", ") || "-";
}

function table(head: readonly string[], rows: readonly (readonly string[])[], options: TableOptions): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => stripVTControlCharacters(row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [paint(options, "bold", line(head)), ...rows.map(line)].map((text) => cut(text, options.width));
}

const padded = (cell: string, width: number): string =>
  cell + " ".repeat(Math.max(0, width - stripVTControlCharacters(cell).length));

/** Cuts what a terminal would wrap; colours end before the messages that make lines long. */
function cut(text: string, width: number | undefined): string {
  const invisible = text.length - stripVTControlCharacters(text).length;
  return width === undefined || text.length - invisible <= width ? text : `${text.slice(0, width + invisible - 1)}…`;
}

const paint = (options: TableOptions, style: "bold" | "green" | "yellow", text: string): string =>
  options.colours ? styleText(style, text, { validateStream: false }) : text;
