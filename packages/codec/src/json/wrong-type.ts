/** Returns the type of a JSON value: `object`, `array`, `string`, `number`, `boolean` or `null`. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value;
}

/** Returns a message such as `spec.replicas: expected int32, got string`. An empty path is omitted. */
export function wrongType(path: string, wanted: string, value: unknown): string {
  const text = `expected ${wanted}, got ${jsonTypeName(value)}`;
  return path === "" ? text : `${path}: ${text}`;
}
