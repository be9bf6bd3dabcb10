import { type Column, type TableOptions, table } from "./columns.ts";
import type { ObjectRow } from "./object-row.ts";
import { type CnfRow, isSettled } from "./snapshot.ts";

const objectColumns: readonly Column[] = [
  { title: "KIND" },
  { title: "NAMESPACE" },
  { title: "NAME", minWidth: 12, keepsEnd: true },
  { title: "PURPOSE", minWidth: 8, keepsEnd: true },
  { title: "STATE" },
  { title: "MESSAGE", minWidth: 12 },
];

const cnfColumns: readonly Column[] = [
  { title: "NAMESPACE" },
  { title: "CNF POD", minWidth: 14, keepsEnd: true },
  { title: "PURPOSE", minWidth: 8, keepsEnd: true },
  { title: "IP" },
  { title: "HOLDS", minWidth: 20 },
];

/** Returns a table of the custom resources, one line each. */
export function objectTable(rows: readonly ObjectRow[], options: TableOptions): string[] {
  const lines = rows.map((row) => [
    ...[row.kind, row.namespace, row.name, row.purpose].map((text) => ({ text })),
    { text: row.state || "-", style: isSettled(row) ? ("green" as const) : ("yellow" as const) },
    { text: row.message },
  ]);
  return table(objectColumns, lines, options);
}

/** Returns a table of the CNF pods with their object counts. Long lines are abbreviated. */
export function cnfTable(rows: readonly CnfRow[], options: TableOptions): string[] {
  const lines = (held: (config: CnfRow["config"]) => string) =>
    rows.map(({ pod, namespace, purpose, ip, config }) =>
      [namespace, pod, purpose, ip || "-", held(config) || "-"].map((text) => ({ text })),
    );
  const whole = table(cnfColumns, lines(held), { colours: false });
  const fits = whole.every((line) => line.length <= (options.width ?? Number.POSITIVE_INFINITY));
  return table(cnfColumns, lines(fits ? held : heldInBrief), options);
}

/** Formats numbers of objects, such as `mwan3 policies 1, firewall zones 2`. */
const held = (config: CnfRow["config"]): string =>
  counts(config)
    .map(([path, count]) => `${path.replace("/v1/", " ")} ${count}`)
    .join(", ");

/** Formats numbers of objects in brief, such as `mwan3 1, firewall 2`. */
function heldInBrief(config: CnfRow["config"]): string {
  const modules = Map.groupBy(counts(config), ([path]) => path.split("/")[0]);
  return [...modules].map(([name, each]) => `${name} ${each.reduce((sum, [, count]) => sum + count, 0)}`).join(", ");
}

function counts(config: CnfRow["config"]): [path: string, count: number][] {
  return Object.entries(config).flatMap(([path, result]): [string, number][] => {
    const [list] = Object.values(result ?? {});
    return Array.isArray(list) && list.length > 0 ? [[path, list.length]] : [];
  });
}
