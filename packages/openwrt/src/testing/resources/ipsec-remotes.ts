import type { Cnf } from "../cnf.ts";
import type { Field, FieldRecord } from "../field-table.ts";
import { Refusal } from "../response.ts";
import type { UciSection } from "../uci/section.ts";
import { flag, oneOf } from "../validators.ts";
import { certificateFields, readCertificates, removeCertificates, writeCertificates } from "./certificates.ts";
import type { ResourceDefinition } from "./definition.ts";
import {
  connectionFields,
  connectionSections,
  connectionsOf,
  cryptoProposal,
  readConnection,
  writeConnections,
} from "./ipsec-connections.ts";
import { addNamed, asUci, nameOf } from "./sections.ts";

const config = "ipsec";

const fields: readonly Field[] = [
  { name: "name", mandatory: true },
  { name: "type" },
  { name: "gateway", mandatory: true },
  { name: "enabled", default: "1" },
  { name: "authentication_method", check: oneOf("psk", "pubkey") },
  { name: "pre_shared_key" },
  { name: "local_identifier" },
  { name: "remote_identifier" },
  cryptoProposal,
  { name: "force_crypto_proposal", check: flag, text: "invalid input for ForceCryptoProposal" },
  { name: "local_public_cert" },
  { name: "local_private_cert" },
  { name: "shared_ca" },
  { name: "connections", list: true, fields: connectionFields, text: "invalid connection" },
];

/** Remotes: tunnel peers and their connections. */
export const ipsecRemotes: ResourceDefinition = {
  module: "ipsec",
  collection: "remotes",
  type: "remote",
  config,
  sectionType: "remote",
  named: true,
  fields,
  check(record) {
    const { authentication_method: method, pre_shared_key } = record;
    if (method === undefined) throw new Refusal(400, "Invalid authentication method");
    const secrets = method === "psk" ? [pre_shared_key] : certificateFields.map((field) => record[field]);
    if (secrets.some((secret) => secret === undefined)) {
      throw new Refusal(400, `Secret does not exists for the authentication method: ${method}`);
    }
  },
  partNames: (record) => connectionsOf(record).map(({ name }) => String(name)),
  read(record, section, cnf) {
    for (const field of certificateFields) {
      const option = record[field];
      if (typeof option === "string") record[field] = readCertificates(option, cnf);
    }
    const connections = connectionSections(section, cnf);
    if (connections.length > 0) {
      record.connections = connections.map((connection) =>
        readConnection(connection, nameOf({ named: true }, connection)),
      );
    }
    return record;
  },
  write(record, cnf) {
    const name = String(record.name);
    const section = addNamed(cnf, config, "remote", name);
    for (const field of fields) {
      if (field.name !== "name" && field.name !== "connections") writeField(field.name, record, section, cnf);
    }
    writeConnections(record, section, cnf);
    if (!cnf.quirks) setGlobals(cnf, cnf.uci.sections(config, "remote"));
  },
  removeParts(section, _name, cnf) {
    for (const field of certificateFields) {
      const option = section.options.get(field);
      if (typeof option === "string") removeCertificates(option, cnf);
    }
    for (const connection of connectionSections(section, cnf)) cnf.uci.remove(config, connection);
    if (!cnf.quirks)
      setGlobals(
        cnf,
        cnf.uci.sections(config, "remote").filter((other) => other !== section),
      );
  },
};

function writeField(field: string, record: FieldRecord, section: UciSection | undefined, cnf: Cnf): void {
  const value = asUci(record[field]);
  if (!section || value === undefined) return;
  const isCertificate = certificateFields.includes(field) && typeof value === "string";
  cnf.uci.set(
    config,
    section,
    field,
    isCertificate ? writeCertificates(field, String(record.name), value, cnf) : value,
  );
  if (field !== "type" || !cnf.quirks) return;
  setGlobals(cnf, [section]);
  cnf.uci.commit(config); // the reference CNF also commits here, although the remote is incomplete
}

/**
 * Sets the options of the whole daemon that depend on the types of all remotes. In the reference CNF, they depend only on the remote that
 * was written last.
 */
function setGlobals({ uci }: Cnf, remotes: readonly UciSection[]): void {
  const globals = uci.sections(config, "ipsec")[0];
  const types = remotes.map(({ options }) => options.get("type")).filter((type) => type !== undefined);
  if (!globals || types.length === 0) return;
  uci.set(config, globals, "rtinstall_enabled", "0");
  uci.set(config, globals, "vip_enabled", types.includes("VTI-based") ? "0" : "1");
}
