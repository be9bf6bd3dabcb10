import { addressFamily } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { existingZone } from "./firewall-zones.ts";

/** Forwardings, which allow traffic from one zone to another. */
export const firewallForwardings: ResourceDefinition = {
  module: "firewall",
  collection: "forwardings",
  type: "forwarding",
  config: "firewall",
  sectionType: "forwarding",
  named: false,
  fields: [
    { name: "name", mandatory: true },
    { name: "src", mandatory: true, check: existingZone, text: "invalid src", fixedCode: 428 },
    { name: "dest", mandatory: true, check: existingZone, text: "invalid dest", fixedCode: 428 },
    { name: "family", check: addressFamily, text: "invalid family" },
  ],
};
