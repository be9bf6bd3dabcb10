import type { Cnf } from "../cnf.ts";
import type { Field, FieldRecord, Validator } from "../field-table.ts";
import { LuaError, Refusal } from "../response.ts";
import type { UciSection } from "../uci/section.ts";
import { oneOf, yesOrNo } from "../validators.ts";
import { addNamed, findByName, listOf, readFields, writeFields } from "./sections.ts";

const config = "ipsec";
const types = ["tunnel", "transport"] as const;

const existingProposal: Validator = (value, cnf) => {
  if (value === undefined) throw new LuaError("ipsec_rest", 294, "attempt to concatenate local 'name' (a nil value)");
  return findByName(cnf, config, "proposal", String(value)) !== undefined || `Proposal[${value}] is not definied`;
};

export const cryptoProposal: Field = {
  name: "crypto_proposal",
  list: true,
  check: existingProposal,
  code: 428,
  text: "invalid crypto_proposal",
};

export const connectionFields: readonly Field[] = [
  { name: "name", mandatory: true },
  { name: "conn_type", mandatory: true, check: oneOf(...types), text: "invalid type" },
  { name: "mode", mandatory: true, check: oneOf("start", "add", "route"), text: "invalid connection mode" },
  { name: "local_subnet" },
  { name: "local_nat" },
  { name: "local_sourceip" },
  { name: "local_updown" },
  { name: "local_firewall", check: yesOrNo },
  { name: "remote_subnet" },
  { name: "remote_sourceip" },
  { name: "remote_updown" },
  { name: "remote_firewall", check: yesOrNo },
  cryptoProposal,
  { name: "mark" },
  { name: "if_id", isExtension: true },
];

/** Returns the connections in a remote's record, or an empty list if there are none. */
export function connectionsOf(record: FieldRecord): readonly FieldRecord[] {
  return Array.isArray(record.connections) ? record.connections.filter((value) => typeof value === "object") : [];
}

/** Returns the sections for a remote's connections. In the reference CNF, tunnels always come first. */
export function connectionSections(remote: UciSection, cnf: Cnf): readonly UciSection[] {
  const found = types.flatMap((type) =>
    listOf(remote.options.get(type)).flatMap((name) => findByName(cnf, config, type, name) ?? []),
  );
  return cnf.quirks ? found : found.toSorted((a, b) => cnf.uci.indexOf(config, a) - cnf.uci.indexOf(config, b));
}

export function readConnection(section: UciSection, name: string): FieldRecord {
  return { ...readFields({ fields: connectionFields }, section), name, conn_type: section.type };
}

/** Adds a section for each of a remote's connections, and lists the sections in the remote. */
export function writeConnections(record: FieldRecord, remote: UciSection | undefined, cnf: Cnf): void {
  const listed: Record<string, readonly string[]> = {};
  for (const connection of connectionsOf(record)) {
    const { name, conn_type } = connection;
    if (name === undefined || cnf.uci.get(config, String(name))) throw new Refusal(409, "Conflict");
    const names = [...(listed[String(conn_type)] ?? []), String(name)];
    listed[String(conn_type)] = names;
    if (remote) cnf.uci.set(config, remote, String(conn_type), names);
    const section = addNamed(cnf, config, String(conn_type), String(name));
    if (section) writeFields(cnf, { config, fields: connectionFields }, section, connection, ["name", "conn_type"]);
  }
}
