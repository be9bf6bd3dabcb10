import { isIpv4 } from "../addresses.ts";
import type { Validator } from "../field-table.ts";
import type { ResourceDefinition } from "./definition.ts";

const addressList: Validator = (value, cnf) => addressesOf(value).every((address) => isIpv4(address, cnf.quirks));

/** Applications: addresses whose traffic uses the CNF's routing table. */
export const applications: ResourceDefinition = {
  module: "application",
  collection: "applications",
  type: "application",
  config: "app-cnf",
  ownsConfig: true,
  sectionType: "rule",
  named: true,
  fields: [
    { name: "name", mandatory: true },
    { name: "iplist", option: "src", check: addressList, text: "Invalid Source IP Address" },
  ],
  commands: ({ iplist }, operation) =>
    addressesOf(iplist).map((address) => [
      "ip",
      "rule",
      operation === "add" ? "add" : "del",
      "from",
      address,
      "lookup",
      "40",
    ]),
};

function addressesOf(list: unknown): string[] {
  const parts = list === undefined ? [] : String(list).split(",");
  return parts.map((part) => part.trim()).filter(Boolean);
}
