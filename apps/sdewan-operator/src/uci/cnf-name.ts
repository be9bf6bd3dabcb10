import { createHash } from "node:crypto";

/** What has a name on the CNF: the rule kinds, and the connections inside IPsec remotes. */
export type NamedThing =
  | "Mwan3Policy"
  | "Mwan3Rule"
  | "FirewallZone"
  | "FirewallRule"
  | "FirewallForwarding"
  | "FirewallSNAT"
  | "FirewallDNAT"
  | "NetworkFirewallRule"
  | "CNFNAT"
  | "CNFRoute"
  | "CNFRouteRule"
  | "IpsecProposal"
  | "IpsecHost"
  | "IpsecSite"
  | "IpsecConnection"
  | "SdewanApplication";

/** These become names of UCI sections, which hold letters, digits and `_` only. */
const sections: ReadonlySet<string> = new Set<NamedThing>([
  "Mwan3Policy",
  "Mwan3Rule",
  "IpsecProposal",
  "IpsecHost",
  "IpsecSite",
  "IpsecConnection",
  "SdewanApplication",
]);

const longestZone = 11;
const hashLength = 5;

/**
 * The name on the CNF of what is called `name` in Kubernetes. A name that the CNF can hold stays as it is; otherwise every
 * character outside `[A-Za-z0-9_]` becomes `_`, and what is still too long keeps its beginning and ends in a short hash of the
 * whole name. References go through the same function, so they keep meeting what they refer to.
 */
export function cnfName(kind: string, name: string): string {
  if (kind === "FirewallZone") return name.length <= longestZone ? name : shortened(plain(name), name);
  return sections.has(kind) ? plain(name) : name;
}

/** `cnfName` for a field that may be empty, which then stays so. */
export function cnfReference(kind: NamedThing, name: string | undefined): string {
  const trimmed = name?.trim() ?? "";
  return trimmed === "" ? "" : cnfName(kind, trimmed);
}

const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, "_");

function shortened(name: string, whole: string): string {
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, hashLength);
  return `${name.slice(0, longestZone - hashLength - 1)}_${hash}`;
}
