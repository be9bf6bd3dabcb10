import type { Cnf } from "../cnf.ts";
import type { FieldRecord } from "../field-table.ts";
import { interfaceExists, resolveInterface } from "../interface-alias.ts";
import { LuaError, Refusal } from "../response.ts";
import type { ResourceDefinition } from "./definition.ts";
import { networkRuleFields, refuseMarkWithoutMark } from "./firewall-rules.ts";
import { listOf } from "./sections.ts";

/** Rules that apply to interfaces, set directly in iptables. */
export const networkFirewallRules: ResourceDefinition = {
  module: "networkfirewall",
  collection: "rules",
  type: "rule",
  config: "firewall-rule",
  ownsConfig: true,
  sectionType: "rule",
  named: false,
  isOrdered: true,
  fields: networkRuleFields,
  check(record, cnf) {
    refuseMarkWithoutMark(record);
    if (!cnf.quirks && record.proto === "icmp" && record.icmp_type === undefined) {
      throw new Refusal(400, "Field[icmp_type] checked failed: required");
    }
    record.src_val = existing("src", record.src, cnf);
    if (record.dest !== undefined) record.dest_val = existing("dest", record.dest, cnf);
    else if (!cnf.quirks) record.dest_val = undefined;
  },
  commands(record, operation) {
    const chain = chainOf(record, operation);
    return protocols(record).map((protocol) => [
      "iptables",
      ...chain,
      ...places(record),
      ...protocol,
      ...targetArguments(record),
    ]);
  },
};

function existing(field: string, value: unknown, cnf: Cnf): string {
  const name = resolveInterface(value, cnf);
  if (name === undefined || !interfaceExists(name, cnf)) {
    throw new Refusal(428, `Field[${field}] checked failed: Invalid interface`);
  }
  return name;
}

function chainOf({ target, dest }: FieldRecord, operation: "add" | "delete"): string[] {
  const verb = operation === "add" ? "-A" : "-D";
  if (target === "MARK") return ["-t", "mangle", verb, "PREROUTING"];
  return [verb, dest === undefined ? "INPUT" : "FORWARD"];
}

function places({ target, src_val, dest, dest_val, src_ip, dest_ip }: FieldRecord): string[] {
  return [
    ...option("-i", src_val),
    ...(target === "MARK" || dest === undefined ? [] : option("-o", dest_val)),
    ...option("-s", src_ip),
    ...option("-d", dest_ip),
  ];
}

/** Returns one entry for each command that the rule needs. */
function protocols({ proto, src_port, dest_port, icmp_type }: FieldRecord): string[][] {
  const ports = [...option("--sport", src_port), ...option("--dport", dest_port)];
  const withPorts = (name: string): string[] => ["-p", name, "-m", name, ...ports];
  if (proto === "tcp" || proto === "udp") return [withPorts(proto)];
  if (proto === "tcpudp") return [withPorts("tcp"), withPorts("udp")];
  if (proto === "icmp") {
    if (icmp_type === undefined) {
      throw new LuaError("fw_rest", 121, "bad argument #1 to 'ipairs' (table expected, got nil)");
    }
    return listOf(icmp_type).map((type) => ["-p", "icmp", "-m", "icmp", "--icmp-type", type]);
  }
  return [proto === undefined || proto === "all" ? [] : ["-p", String(proto)]];
}

function targetArguments({ src_mac, mark, target, set_mark, set_xmark }: FieldRecord): string[] {
  const setMark = set_xmark === undefined ? option("--set-mark", set_mark) : option("--set-xmark", set_xmark);
  return [
    ...(src_mac === undefined ? [] : ["-m", "mac", "--mac-source", String(src_mac)]),
    ...(mark === undefined ? [] : ["-m", "mark", "--mark", String(mark)]),
    ...option("-j", target),
    ...(target === "MARK" ? setMark : []),
  ];
}

/** Returns the arguments for a command-line option, or an empty list if the option has no value. */
export function option(word: string, value: unknown): string[] {
  return value === undefined ? [] : [word, String(value)];
}
