import { Refusal } from "../response.ts";
import { addressFamily, ipv4OrCidr, mac, oneOf, port, protocol } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { existingZone } from "./firewall-zones.ts";

/** SNAT and DNAT redirects in the firewall configuration. */
export const firewallRedirects: ResourceDefinition = {
  module: "firewall",
  collection: "redirects",
  type: "redirect",
  config: "firewall",
  sectionType: "redirect",
  named: false,
  fields: [
    { name: "name", mandatory: true },
    { name: "src", check: existingZone, text: "invalid src", fixedCode: 428 },
    { name: "src_ip", check: ipv4OrCidr, text: "invalid src_ip" },
    { name: "src_dip", check: ipv4OrCidr, text: "invalid src_dip" },
    { name: "src_mac", check: mac, text: "invalid src_mac" },
    { name: "src_port", check: port, text: "invalid src_port" },
    { name: "src_dport", check: port, text: "invalid src_port" },
    { name: "proto", check: protocol, text: "invalid proto" },
    { name: "dest", check: existingZone, text: "invalid dest", fixedCode: 428 },
    { name: "dest_ip", check: ipv4OrCidr, text: "invalid dest_ip" },
    { name: "dest_port", check: port, text: "invalid dest_port" },
    { name: "mark" },
    { name: "target", check: oneOf("DNAT", "SNAT"), text: "invalid target" },
    { name: "family", check: addressFamily, text: "invalid family" },
  ],
  check({ target, src, src_dip, dest }) {
    if (target === "SNAT" && src_dip === undefined) throw new Refusal(400, "src_dip is required for SNAT");
    if (target === "SNAT" && dest === undefined) throw new Refusal(400, "dest is required for SNAT");
    if (target === "DNAT" && src === undefined) throw new Refusal(400, "src is required for DNAT");
  },
};
