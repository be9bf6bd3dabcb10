const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/**
 * Returns the name of a member as written in an object literal. `__proto__` is written in brackets, because it would otherwise set the
 * prototype.
 */
export function keyText(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return identifier.test(name) ? name : JSON.stringify(name);
}

/** Returns the name of a member as written in an interface. */
export const memberName = (name: string): string => (identifier.test(name) ? name : JSON.stringify(name));

/** Returns a JSON value as a TypeScript literal. All lines except the first are indented, and undefined members are omitted. */
export function literal(value: unknown, indent = ""): string {
  if (typeof value === "bigint") return String(Number(value));
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, inner));
    return bracketed("[", items, "]", indent);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${keyText(name)}: ${literal(member, inner)}`);
  return bracketed("{", members, "}", indent);
}

const width = 100;

/** Formats a list on one line if it fits, otherwise with one line per item. */
export function bracketed(open: string, parts: readonly string[], close: string, indent: string): string {
  if (parts.length === 0) return open + close;
  const space = open === "{" ? " " : "";
  const line = `${open}${space}${parts.join(", ")}${space}${close}`;
  if (line.length + indent.length <= width && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${indent}  ${part},\n`).join("")}${indent}${close}`;
}
