import { isRecord, stringifyJson } from "@kubewright/apimachinery";

type Read = (item: Readonly<Record<string, unknown>>, key: string) => unknown;

/**
 * Returns a string that identifies an item in a keyed list: items with equal keys have equal strings. Returns
 * `undefined` if the item is not an object.
 */
export function itemIdentity(item: unknown, keys: readonly string[], read: Read): string | undefined {
  if (!isRecord(item)) return undefined;
  return keys
    .map((key) => {
      const value = read(item, key);
      return value === undefined ? "" : stringifyJson(value);
    })
    .join("\n");
}
