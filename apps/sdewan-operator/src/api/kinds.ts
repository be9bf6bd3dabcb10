import { CNFNAT } from "./cnf-nat.ts";
import { CNFRoute } from "./cnf-route.ts";
import { CNFRouteRule } from "./cnf-route-rule.ts";
import { CniInterface } from "./cni-interface.ts";
import { FirewallDNAT } from "./firewall/firewall-dnat.ts";
import { FirewallForwarding } from "./firewall/firewall-forwarding.ts";
import { FirewallRule } from "./firewall/firewall-rule.ts";
import { FirewallSNAT } from "./firewall/firewall-snat.ts";
import { FirewallZone } from "./firewall/firewall-zone.ts";
import { NetworkFirewallRule } from "./firewall/network-firewall-rule.ts";
import { IpsecHost } from "./ipsec/ipsec-host.ts";
import { IpsecProposal } from "./ipsec/ipsec-proposal.ts";
import { IpsecSite } from "./ipsec/ipsec-site.ts";
import { Mwan3Policy } from "./mwan3-policy.ts";
import { Mwan3Rule } from "./mwan3-rule.ts";
import { SdewanApplication } from "./sdewan-application.ts";

/** Every kind of the API group that there is so far. */
export const apiKinds = [
  CNFNAT,
  CNFRoute,
  CNFRouteRule,
  CniInterface,
  FirewallDNAT,
  FirewallForwarding,
  FirewallRule,
  FirewallSNAT,
  FirewallZone,
  IpsecHost,
  IpsecProposal,
  IpsecSite,
  Mwan3Policy,
  Mwan3Rule,
  NetworkFirewallRule,
  SdewanApplication,
] as const;
