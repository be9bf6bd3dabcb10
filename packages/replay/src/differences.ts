import { isRecord, jsonEqual } from "@kubewright/apimachinery";

const maxLines = 10;
const longestValue = 200;

/** Describes how a JSON value differs from a recorded one: a line for each field. @param path path of the value; empty for a whole body */
export function differencesOf(recorded: unknown, now: unknown, path: string): readonly string[] {
  const lines: string[] = [];
  compare(recorded, now, path, lines);
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `and ${lines.length - maxLines} more`] : lines;
}

function compare(recorded: unknown, now: unknown, path: string, lines: string[]): void {
  if (jsonEqual(recorded ?? null, now ?? null)) return;
  const inside = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (isRecord(recorded) && isRecord(now)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)]))
      compare(recorded[name], now[name], inside(name), lines);
  } else if (Array.isArray(recorded) && Array.isArray(now)) {
    for (let at = 0; at < Math.max(recorded.length, now.length); at++)
      compare(recorded[at], now[at], `${path}[${at}]`, lines);
  } else lines.push(`${path || "body"}: recorded ${shown(recorded)}, now ${shown(now)}`);
}

const shown = (value: unknown): string => {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
};
