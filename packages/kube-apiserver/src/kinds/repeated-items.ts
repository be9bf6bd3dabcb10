/** Returns the positions of items with the same key as an earlier item. */
export function repeatedItems<T>(items: readonly T[], keyOf: (item: T) => unknown): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const repeated = new Set<number>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) repeated.add(i);
    seen.add(key);
  }
  return repeated;
}
