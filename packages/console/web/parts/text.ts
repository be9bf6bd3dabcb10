import type { Cause } from "../responses.ts";

export { durationText as duration } from "../../src/data/duration.ts";

export const timeOfDay = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toLocaleTimeString([], { hour12: false }) : "";

export const causeText = ({ source, type, key, resourceVersion }: Cause): string =>
  `${source} ${key} ${pastOf[type] ?? type}${resourceVersion ? ` (rv ${resourceVersion})` : ""}`;

const pastOf: Readonly<Record<string, string>> = {
  create: "created",
  update: "updated",
  delete: "deleted",
  generic: "triggered",
};

/** Returns a value of a JSON object as YAML. */
export function yamlOf(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    return `\n${value.map((item) => `${indent}-${itemText(item, `${indent}  `)}`).join("")}`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    if (fields.length === 0) return " {}\n";
    return `\n${fields.map(([name, field]) => `${indent}${scalar(name)}:${yamlOf(field, `${indent}  `)}`).join("")}`;
  }
  return ` ${scalar(value)}\n`;
}

/** Returns an item of a list. The first field of a record is on the line of the dash. */
function itemText(item: unknown, indent: string): string {
  const text = yamlOf(item, indent);
  return text.startsWith("\n") ? ` ${text.slice(1 + indent.length)}` : text;
}

/** Returns a string plainly if YAML reads it as the same string, and otherwise in quotes, which YAML has in common with JSON. */
const scalar = (value: unknown): string =>
  typeof value === "string" &&
  /^[A-Za-z_/][\w./-]*$/.test(value) &&
  !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : (JSON.stringify(value) ?? "null");
