import { isRecord, stringifyJson } from "@kubewright/apimachinery";

type Read = (item: Readonly<Record<string, unknown>>, key: string) => unknown;

/** Returns a text that is equal for items of a keyed list with equal keys; `undefined` for an invalid item. */
export function itemIdentity(item: unknown, keys: readonly string[], read: Read): string | undefined {
  if (!isRecord(item)) return undefined;
  return keys
    .map((key) => {
      const value = read(item, key);
      return value === undefined ? "" : stringifyJson(value);
    })
    .join("\n");
}
