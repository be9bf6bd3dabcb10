/**
 * How deep objects may nest. Upstream reads 10,000 levels; here one stack carries everything that is done with an object, writing it as
 * YAML foremost, so less is taken. No kind needs a tenth of it.
 */
export const maxDepth = 500;

/** Whether lists and objects nest deeper than {@link maxDepth}. */
export const isTooDeep = (value: unknown): boolean => isDeeperThan(value, maxDepth);

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const name in value)
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true;
  return false;
}
