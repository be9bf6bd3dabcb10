/** What a JSON value is: `object`, `array`, `string`, `number`, `boolean` or `null`. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value;
}

/** `spec.replicas: expected int32, got string`; what is wrong stands first where there is a path to it. */
export function wrongType(path: string, wanted: string, value: unknown): string {
  const text = `expected ${wanted}, got ${jsonTypeName(value)}`;
  return path === "" ? text : `${path}: ${text}`;
}
