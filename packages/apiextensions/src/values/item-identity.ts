import { isRecord, stringifyJson } from "@kubewright/apimachinery";

type Read = (item: Readonly<Record<string, unknown>>, key: string) => unknown;

/** Text that items of a keyed list have in common if their keys are equal; `undefined` for what is no item of one. */
export function itemIdentity(item: unknown, keys: readonly string[], read: Read): string | undefined {
  if (!isRecord(item)) return undefined;
  return keys
    .map((key) => {
      const value = read(item, key);
      return value === undefined ? "" : stringifyJson(value);
    })
    .join("\n");
}
