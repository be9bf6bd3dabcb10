import type { CollectionTraits } from "./collection.ts";

/** Paths of collections whose configuration sections are anonymous. The reference CNF does not detect duplicates in these collections. */
const withDuplicates: readonly string[] = [
  "firewall/v1/zones",
  "firewall/v1/rules",
  "firewall/v1/forwardings",
  "firewall/v1/redirects",
  "networkfirewall/v1/rules",
  "nat/v1/nats",
  "route/v1/routes",
  "rule/v1/rules",
];
const withSlash: readonly string[] = ["route/v1/routes", "rule/v1/rules", "application/v1/applications"];

/** Returns the traits of the collection at a path below `sdewan/`. */
export function collectionTraits(path: string): CollectionTraits {
  return { allowsDuplicates: withDuplicates.includes(path), slashOnCreate: withSlash.includes(path) };
}
