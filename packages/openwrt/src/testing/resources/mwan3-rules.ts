import type { Validator } from "../field-table.ts";
import { flag, ipv4OrCidr, oneOf, port, positive } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { findByName } from "./sections.ts";

/** Matches an existing policy. The reference CNF accepts any section with the name. */
const existingPolicy: Validator = (value, cnf) => {
  const { uci } = cnf;
  const found = cnf.quirks
    ? !uci.has("mwan3") || uci.get("mwan3", String(value))
    : findByName(cnf, "mwan3", "policy", String(value));
  return Boolean(found) || `Policy[${value}] is not definied`;
};

/** Load balancer rules, which assign traffic to policies. */
export const mwan3Rules: ResourceDefinition = {
  module: "mwan3",
  collection: "rules",
  type: "rule",
  config: "mwan3",
  sectionType: "rule",
  named: true,
  fields: [
    { name: "name", mandatory: true },
    {
      name: "policy",
      option: "use_policy",
      mandatory: true,
      check: existingPolicy,
      text: "invalid policy",
      fixedCode: 428,
    },
    { name: "src_ip", check: ipv4OrCidr, text: "invalid ip address" },
    { name: "src_port", check: port, text: "invalid src_port" },
    { name: "dest_ip", check: ipv4OrCidr, text: "invalid ip address" },
    { name: "dest_port", check: port, text: "invalid dest_port" },
    { name: "proto", check: oneOf("tcp", "udp", "icmp", "all"), text: "wrong proto" },
    { name: "family", check: oneOf("ipv4", "ipv6", "all"), text: "wrong family" },
    { name: "sticky", check: flag, text: "wrong sticky" },
    { name: "timeout", check: positive, text: "invalid timeout" },
  ],
};
