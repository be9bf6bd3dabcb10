import type { CollectionTraits } from "./collection.ts";

/** Collections in whose configuration sections have no names, so that the reference CNF does not notice duplicates. */
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

/** What is to know about a collection of CNFs, by its path below `sdewan/`. */
export function collectionTraits(path: string): CollectionTraits {
  return { allowsDuplicates: withDuplicates.includes(path), slashOnCreate: withSlash.includes(path) };
}
