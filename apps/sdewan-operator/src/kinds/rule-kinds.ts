import { cnfNat } from "./cnf-nat.ts";
import { cnfRoute } from "./cnf-route.ts";
import { cnfRouteRule } from "./cnf-route-rule.ts";
import { firewallForwarding } from "./firewall-forwarding.ts";
import { firewallDnat, firewallSnat } from "./firewall-nat.ts";
import { firewallRule, networkFirewallRule } from "./firewall-rules.ts";
import { firewallZone } from "./firewall-zone.ts";
import { ipsecProposal } from "./ipsec-proposal.ts";
import { ipsecConnection, ipsecHost, ipsecSite } from "./ipsec-remotes.ts";
import { mwan3Policy } from "./mwan3-policy.ts";
import { mwan3Rule } from "./mwan3-rule.ts";
import { sdewanApplication } from "./sdewan-application.ts";

/** All rule kinds. Everything that covers all kinds, including the manifests, is derived from this list. */
export const ruleKinds = [
  mwan3Policy,
  firewallZone,
  ipsecProposal,
  mwan3Rule,
  firewallRule,
  firewallForwarding,
  firewallSnat,
  firewallDnat,
  ipsecHost,
  ipsecSite,
  networkFirewallRule,
  cnfNat,
  cnfRoute,
  cnfRouteRule,
  sdewanApplication,
] as const;

/**
 * Converts an object's name in Kubernetes to its name on the CNF.
 *
 * @param kind a rule kind, or `IpsecConnection`
 */
export function cnfName(kind: string, name: string): string {
  const naming = kind === "IpsecConnection" ? ipsecConnection : ruleKinds.find((each) => each.kind.kind === kind);
  return naming?.nameOnCnf(name) ?? name;
}
