import type { Cnf } from "../cnf.ts";
import type { FieldRecord, Validator } from "../field-table.ts";
import { defaultInterface, interfaceWithAddress } from "../interface-alias.ts";
import { Refusal } from "../response.ts";
import { existingInterface, ipv4OrCidr, oneOf, port, protocol, wholeNumberAbove } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { option } from "./network-firewall-rules.ts";

const interfaceOrAlias: Validator = (value, cnf) =>
  value === "#default" || value === "#source" || existingInterface(value, cnf);

/** Address translation rules, set directly in iptables. */
export const nats: ResourceDefinition = {
  module: "nat",
  collection: "nats",
  type: "nat",
  config: "firewall-nat",
  ownsConfig: true,
  sectionType: "nat",
  named: false,
  isOrdered: true,
  fields: [
    { name: "name", mandatory: true },
    { name: "src", check: interfaceOrAlias, code: 428, text: "invalid src" },
    { name: "src_ip", check: ipv4OrCidr, text: "invalid src_ip" },
    { name: "src_dip", check: ipv4OrCidr, text: "invalid src_dip" },
    { name: "src_port", check: port, text: "invalid src_port" },
    { name: "src_dport", check: port, text: "invalid src_port" },
    { name: "proto", check: protocol, text: "invalid proto" },
    { name: "dest", check: interfaceOrAlias, code: 428, text: "invalid dest" },
    { name: "dest_ip", check: ipv4OrCidr, text: "invalid dest_ip" },
    { name: "dest_port", check: port, text: "invalid dest_port" },
    { name: "target", mandatory: true, check: oneOf("DNAT", "SNAT", "MASQUERADE"), text: "invalid target" },
    { name: "index", check: wholeNumberAbove(-1), text: "invalid index" },
  ],
  check(record, cnf) {
    refuseIncomplete(record);
    if (record.target === "SNAT" && record.dest === "#source") refuseUnknownSource(record, cnf);
    if (cnf.quirks) return;
    if (record.target === "DNAT" && record.src === "#source") refuseUnknownSource(record, cnf);
    const hasPort = [record.src_port, record.src_dport, record.dest_port].some((value) => value !== undefined);
    if (hasPort && !["tcp", "udp", "tcpudp"].includes(String(record.proto))) {
      throw new Refusal(400, "Field[proto] checked failed: tcp or udp is required for ports");
    }
  },
  commands(record, operation, cnf) {
    const protocols = record.proto === "tcpudp" && !cnf.quirks ? ["tcp", "udp"] : [record.proto];
    const build = record.target === "DNAT" ? destinationNat : sourceNat;
    const words = build(record, operation, cnf);
    return protocols.map((proto) => cutComment(["iptables", "-t", "nat", ...words(option("-p", proto))]));
  },
};

function refuseIncomplete({ target, src_dip, dest, dest_ip, dest_port }: FieldRecord): void {
  const refuse = (message: string): never => {
    throw new Refusal(400, message);
  };
  if (target === "SNAT" && src_dip === undefined) refuse("src_dip is required for SNAT");
  if (target === "SNAT" && dest === undefined) refuse("dest is required for SNAT");
  if (target === "MASQUERADE" && dest === undefined) refuse("dest is required for SNAT MASQUERADE");
  if (target === "DNAT" && dest_ip === undefined && dest_port === undefined) {
    refuse("dest_ip or dest_port are required for DNAT");
  }
}

function refuseUnknownSource({ src_dip }: FieldRecord, cnf: Cnf): void {
  if (interfaceWithAddress(String(src_dip), cnf) === undefined)
    throw new Refusal(428, "ip not found on all interfaces");
}

type Words = (protocol: readonly string[]) => readonly string[];

function sourceNat(record: FieldRecord, operation: "add" | "delete", cnf: Cnf): Words {
  const { src_ip, src_port, src_dip, src_dport, dest_ip, dest_port, target } = record;
  const out = option("-o", resolve(record.dest, record, cnf));
  const source = option("--to-source", src_dport === undefined ? src_dip : `${src_dip}:${src_dport}`);
  return (protocol) => [
    ...place(record, operation, "POSTROUTING"),
    ...out,
    ...protocol,
    ...option("-s", src_ip),
    ...option("--sport", src_port),
    ...option("-d", dest_ip),
    ...option("--dport", dest_port),
    ...option("-j", target),
    ...(target === "SNAT" ? source : []),
  ];
}

function destinationNat(record: FieldRecord, operation: "add" | "delete", cnf: Cnf): Words {
  const { src_ip, src_port, src_dip, src_dport, dest_ip, dest_port } = record;
  const isUnresolved = cnf.quirks && record.src === "#source";
  const into = option("-i", isUnresolved ? record.src : resolve(record.src, record, cnf));
  const to = dest_port === undefined ? dest_ip : `${dest_ip}:${dest_port}`;
  const jump =
    dest_ip === undefined ? ["REDIRECT", "--to-port", String(dest_port)] : ["DNAT", "--to-destination", String(to)];
  return (protocol) => [
    ...place(record, operation, "PREROUTING"),
    ...into,
    ...protocol,
    ...option("-s", src_ip),
    ...option("--sport", src_port),
    ...option("-d", src_dip),
    ...option("--dport", src_dport),
    "-j",
    ...jump,
  ];
}

function place({ index }: FieldRecord, operation: "add" | "delete", chain: string): string[] {
  if (operation === "delete") return ["-D", chain];
  return index === undefined || index === "0" ? ["-A", chain] : ["-I", chain, String(index)];
}

function resolve(value: unknown, { src_dip }: FieldRecord, cnf: Cnf): unknown {
  if (value === "#default") return defaultInterface(cnf);
  return value === "#source" ? interfaceWithAddress(String(src_dip), cnf) : value;
}

/** Drops the words that the shell of the reference CNF treats as a comment: from the first word that starts with `#`. */
function cutComment(words: readonly string[]): readonly string[] {
  const comment = words.findIndex((word) => word.startsWith("#"));
  return comment < 0 ? words : words.slice(0, comment);
}
