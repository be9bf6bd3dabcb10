/**
 * Compares two API versions, for sorting them as in discovery: GA versions come before beta and alpha versions, and
 * higher numbers before lower ones; all other names come last, in alphabetical order.
 *
 * @see apimachinery pkg/version CompareKubeAwareVersionStrings
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function parse(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (!match) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
