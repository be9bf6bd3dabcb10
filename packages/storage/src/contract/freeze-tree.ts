/** Freezes a value and everything in it. Stops at values that are already frozen, so shared parts need no work. */
export function freezeTree<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const name in value) freezeTree(value[name]);
  return value;
}
