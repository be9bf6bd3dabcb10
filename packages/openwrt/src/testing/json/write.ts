/**
 * Formats a value as compact JSON. In LuCI's format (`luci`), `/` is escaped, and every empty table is written as `[]`.
 */
export function writeJson(value: unknown, options: { readonly luci: boolean }): string {
  if (!options.luci) return JSON.stringify(value);
  return JSON.stringify(value, (_key, member: unknown) => (isEmptyTable(member) ? [] : member)).replaceAll("/", "\\/");
}

function isEmptyTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every((member) => member === undefined);
}
