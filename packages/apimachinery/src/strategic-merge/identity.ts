import { stringifyJson } from "../value/json.ts";
import { isRecord, ownMember } from "../value/json-value.ts";

/**
 * Returns a string that identifies an item in a merge. The strings of two items are equal if the items have the same
 * merge key or, without a merge key, the same value. With these strings, lists of any length can be matched in one
 * pass.
 */
export const identityOf = (item: unknown, mergeKey: string | undefined): string =>
  textOf(mergeKey !== undefined && isRecord(item) ? ownMember(item, mergeKey) : item);

/**
 * Returns a map from each item's identity to the item's position. For duplicates, this is the position of the first
 * one.
 */
export function positionsOf(items: readonly unknown[], mergeKey: string | undefined): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!positions.has(identity)) positions.set(identity, i);
  }
  return positions;
}

function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return `${typeof value} ${value}`;
  return stringifyJson(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
