import { applications } from "./applications.ts";
import type { ResourceDefinition } from "./definition.ts";
import { firewallForwardings } from "./firewall-forwardings.ts";
import { firewallRedirects } from "./firewall-redirects.ts";
import { firewallRules } from "./firewall-rules.ts";
import { firewallZones } from "./firewall-zones.ts";
import { ipsecProposals } from "./ipsec-proposals.ts";
import { ipsecRemotes } from "./ipsec-remotes.ts";
import { mwan3Policies } from "./mwan3-policies.ts";
import { mwan3Rules } from "./mwan3-rules.ts";
import { nats } from "./nats.ts";
import { networkFirewallRules } from "./network-firewall-rules.ts";
import { routes } from "./routes.ts";
import { routingRules } from "./routing-rules.ts";

/** Definitions of all collections whose objects are stored in UCI. */
export const resourceDefinitions: readonly ResourceDefinition[] = [
  mwan3Policies,
  mwan3Rules,
  firewallZones,
  firewallRules,
  firewallForwardings,
  firewallRedirects,
  networkFirewallRules,
  nats,
  ipsecProposals,
  ipsecRemotes,
  routes,
  routingRules,
  applications,
];
