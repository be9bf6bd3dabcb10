/** Freezes a value recursively. Parts that are already frozen are skipped, so freezing shared parts costs nothing. */
export function freezeTree<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const name in value) freezeTree(value[name]);
  return value;
}
