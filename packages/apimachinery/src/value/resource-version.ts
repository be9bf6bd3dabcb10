const decimal = /^[1-9]\d*$/;

/**
 * Which of two versions of one resource is newer: negative, zero or positive. `undefined` when they cannot be compared, because one
 * of them is not a positive decimal number; then only equality means anything.
 *
 * @see apimachinery util/resourceversion CompareResourceVersion
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
