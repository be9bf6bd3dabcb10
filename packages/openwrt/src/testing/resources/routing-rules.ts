import type { Validator } from "../field-table.ts";
import { Refusal } from "../response.ts";
import { fwmark, ipv4OrCidr, positive } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { option } from "./network-firewall-rules.ts";
import { writeFields } from "./sections.ts";

const namedTables: readonly unknown[] = ["main", "local", "default"];
const table: Validator = (value, cnf) => namedTables.includes(value) || positive(value, cnf);

/** Rules that choose a routing table, set directly in the kernel. */
export const routingRules: ResourceDefinition = {
  module: "rule",
  collection: "rules",
  type: "rule",
  config: "rule-cnf",
  ownsConfig: true,
  sectionType: "rule",
  named: false,
  fields: [
    { name: "name", mandatory: true },
    { name: "src", check: ipv4OrCidr, text: "Invalid Source IP Address" },
    { name: "dst", check: ipv4OrCidr, text: "Invalid Destination IP Address" },
    { name: "prio", check: positive, text: "Invalid Prioroty" },
    { name: "table", check: table, text: "Invalid Table" },
    { name: "fwmark", check: fwmark, text: "Invalid fwmark" },
    { name: "flag" },
  ],
  check({ src, dst }, cnf) {
    if (!cnf.quirks && src === undefined && dst === undefined) {
      throw new Refusal(400, "src or dst are required for rule");
    }
  },
  commands({ flag, prio, src, dst, table: lookup = "main", fwmark: mark }, operation, cnf) {
    // The reference CNF stores the text `"true"` as false, but still adds the flag to the command.
    const isNegated = flag === true || (cnf.quirks && flag === "true");
    return [
      [
        ...["ip", "rule", operation === "add" ? "add" : "del", ...(isNegated ? ["not"] : [])],
        ...[...option("prio", prio), ...option("from", src), ...option("to", dst)],
        ...["lookup", String(lookup), ...option("fwmark", mark)],
      ],
    ];
  },
  read: (record) => ({ ...record, flag: record.flag === "true" }),
  write(record, cnf) {
    const section = cnf.uci.add("rule-cnf", "rule");
    const flag = record.flag === undefined ? undefined : String(record.flag === true);
    if (section) writeFields(cnf, routingRules, section, { ...record, flag });
  },
};
