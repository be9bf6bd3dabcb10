import type { FieldChange, PlannedChange, PlanReport } from "@kubewright/simulation/plan";

const signs = { create: "+", change: "~", delete: "-" } as const;
/** Maximum number of fields of one object, and of characters of one value. */
const [maxFields, maxLength] = [8, 80] as const;

/** Returns the lines that describe a plan. */
export function planLines(report: PlanReport): string[] {
  const { changes, unknown, unchanged, reconciles, limits } = report;
  const rows = [
    ...changes.map(changeRow),
    ...unknown.map(({ object, reason }) => {
      const [kind = "", ...rest] = object.split(" ");
      return { sign: "!", kind, key: rest.join(" "), text: reason, more: [], cause: undefined };
    }),
  ];
  const [kindWidth, keyWidth] = [widthOf(rows.map(({ kind }) => kind)), widthOf(rows.map(({ key }) => key))];
  const textWidth = widthOf(rows.filter(({ cause }) => cause !== undefined).map(({ text }) => text));
  const lines = rows.flatMap(({ sign, kind, key, text, more, cause }) => {
    const start = `${sign} ${kind.padEnd(kindWidth)} ${key.padEnd(keyWidth)}`;
    const first = `${start}  ${cause === undefined ? text : `${text.padEnd(textWidth)}  (${cause})`}`;
    return [first.trimEnd(), ...more.map((line) => `${" ".repeat(start.length)}  ${line}`)];
  });
  const count = (action: PlannedChange["action"]): number => changes.filter((each) => each.action === action).length;
  const counts = [
    `${count("create")} to create`,
    `${count("change")} to change`,
    `${count("delete")} to delete`,
    `${unchanged} unchanged`,
    ...(unknown.length > 0 ? [`${unknown.length} unknown`] : []),
  ].join(", ");
  const settled = reconciles === undefined ? "" : `; settled after ${reconciles} reconciles`;
  return [...lines, `Plan: ${counts}${settled}`, ...limits.map((limit) => `Note: ${limit}`)];
}

const widthOf = (texts: readonly string[]): number =>
  texts.reduce((widest, { length }) => Math.max(widest, Math.min(length, maxLength)), 0); // a call cannot have an argument per row

function changeRow({ action, kind, namespace, name, cause, fields }: PlannedChange) {
  const [text = "", ...others] = action === "change" ? fields.map(fieldText) : [];
  const rest = others.length - maxFields + 1;
  return {
    sign: signs[action],
    kind,
    key: namespace === undefined ? name : `${namespace}/${name}`,
    text,
    more: [...others.slice(0, maxFields - 1), ...(rest > 0 ? [`… and ${rest} more fields`] : [])],
    cause,
  };
}

function fieldText({ path, from, to }: FieldChange): string {
  if (from === undefined && to === undefined) return `${path}: value hidden`;
  return `${path}: ${valueText(from)} → ${valueText(to)}`;
}

function valueText(value: unknown): string {
  const text = value === undefined ? "(absent)" : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
