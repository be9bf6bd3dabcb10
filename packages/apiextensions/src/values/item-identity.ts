import { isRecord, stringifyJson } from "@kubewright/apimachinery";

type Read = (item: Readonly<Record<string, unknown>>, key: string) => unknown;

/** Returns a text that is equal for keyed-list items with equal keys, or `undefined` if the item is not valid. */
export function itemIdentity(item: unknown, keys: readonly string[], read: Read): string | undefined {
  if (!isRecord(item)) return undefined;
  return keys
    .map((key) => {
      const value = read(item, key);
      return value === undefined ? "" : stringifyJson(value);
    })
    .join("\n");
}
