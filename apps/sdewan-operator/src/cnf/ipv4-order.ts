/** Compares IPv4 addresses as numbers, for `sort`. */
export function ipv4Order(a: string, b: string): number {
  const [partsA, partsB] = [a, b].map((address) => address.split(".").map(Number));
  for (let index = 0; index < 4; index++) {
    const difference = (partsA?.[index] ?? 0) - (partsB?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : 1;
}
