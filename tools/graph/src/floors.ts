/**
 * Floors (layers) of the package graph, lowest first. A package imports only from floors that are listed before its
 * own.
 */
export const floors = [
  "base",
  "parts",
  "storage",
  "storage-etcd3",
  "apiserver",
  "apiextensions",
  "aggregator",
  "kube-apiserver",
  "testbed",
  "client",
  "machinery",
  "runtime",
  "front",
  "plane",
  "simulation",
  "generator",
  "tool",
  "door",
  "app",
  "check",
] as const;

export type Floor = (typeof floors)[number];

/** Returns the floor named in a package's `nx.tags`, such as `floor:base`. */
export function floorOf(tags: readonly string[]): Floor | undefined {
  const named = tags.find((tag) => tag.startsWith("floor:"))?.slice("floor:".length);
  return floors.find((floor) => floor === named);
}
