/** Returns a value as text, with placeholders for values that differ between recordings. */
export const withoutChance = (json: unknown): string =>
  JSON.stringify(json, byManager)
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>")
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"<version>"')
    .replace(/"10\.0\.0\.\d+"/g, '"<address>"')
    .replace(/"serverAddress":"[^"]*"/g, '"serverAddress":"<address>"');

/**
 * Sorts the entries of field managers by name. Their order by time is random, because the times have a resolution of
 * one second.
 */
function byManager(name: string, value: unknown): unknown {
  if (name !== "managedFields" || !Array.isArray(value)) return value;
  const entries = value as readonly { readonly manager: string; readonly operation: string }[];
  const key = ({ manager, operation }: (typeof entries)[number]) => `${manager} ${operation}`;
  return entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
