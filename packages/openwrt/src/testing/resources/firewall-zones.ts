import type { Validator } from "../field-table.ts";
import { addressFamily, flag, ipv4OrCidr, maskedNetwork, policyOfZone } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";

const longestName = 11;

const shortName: Validator = (value) =>
  String(value).length <= longestName || `The length of Name shall not exceed ${longestName} characters`;

/** Matches an existing network. An absent value is valid, because UCI then returns the whole configuration. */
const existingNetwork: Validator = (value, { uci }) =>
  value === undefined || uci.get("network", String(value)) !== undefined || `Interface[${value}] is not definied`;

/** Matches an existing zone in the firewall configuration. */
export const existingZone: Validator = (value, { uci }) =>
  uci.sections("firewall", "zone").some(({ options }) => options.get("name") === value) ||
  `Zone[${value}] is not definied`;

/** Firewall zones. Their names must be short, because they become parts of chain names. */
export const firewallZones: ResourceDefinition = {
  module: "firewall",
  collection: "zones",
  type: "zone",
  config: "firewall",
  sectionType: "zone",
  named: false,
  fields: [
    { name: "name", mandatory: true, check: shortName, text: "invalid zone name" },
    { name: "network", list: true, check: existingNetwork, text: "invalid network" },
    { name: "masq", check: flag, text: "invalid masq" },
    { name: "masq_src", list: true, check: maskedNetwork, text: "invalid masq_src" },
    { name: "masq_dest", list: true, check: maskedNetwork, text: "invalid masq_dest" },
    { name: "masq_allow_invalid", check: flag, text: "invalid masq_allow_invalid" },
    { name: "mtu_fix", check: flag, text: "invalid mtu_fix" },
    { name: "input", check: policyOfZone, text: "invalid input" },
    { name: "forward", check: policyOfZone, text: "invalid forward" },
    { name: "output", check: policyOfZone, text: "invalid output" },
    { name: "family", check: addressFamily, text: "invalid family" },
    { name: "subnet", list: true, check: ipv4OrCidr, text: "invalid subnet" },
    { name: "extra_src" },
    { name: "etra_dest" },
  ],
  isUsed: (name, { uci }) =>
    ["rule", "forwarding", "redirect"].some((type) =>
      uci.sections("firewall", type).some(({ options }) => options.get("src") === name || options.get("dest") === name),
    ),
};
