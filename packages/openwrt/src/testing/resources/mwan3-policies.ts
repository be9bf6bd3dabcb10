import type { Cnf } from "../cnf.ts";
import type { FieldRecord, FieldValue, Validator } from "../field-table.ts";
import { LuaError, Refusal } from "../response.ts";
import { positive } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { addNamed, asUci, findByName, listOf, nameOf } from "./sections.ts";

const config = "mwan3";
const memberOptions = ["metric", "weight", "interface"] as const;

const existingSection: Validator = (value, cnf) =>
  !cnf.uci.has(config) || cnf.uci.get(config, String(value)) !== undefined || `Interface[${value}] is not definied`;

/** Load balancer policies. Each member is a separate section. */
export const mwan3Policies: ResourceDefinition = {
  module: "mwan3",
  collection: "policies",
  type: "policy",
  config,
  sectionType: "policy",
  named: true,
  deletesByAddress: true,
  fields: [
    { name: "name", mandatory: true },
    {
      name: "members",
      mandatory: true,
      list: true,
      text: "Incorrect policy member",
      fields: [
        { name: "interface", mandatory: true, check: existingSection, text: "invalid interface" },
        { name: "metric", mandatory: true, check: positive, text: "metric should be greater than 0" },
        { name: "weight", mandatory: true, check: positive, text: "weight should be greater than 0" },
      ],
    },
  ],
  check(record, cnf) {
    if (!cnf.quirks) refuseSameInterface(membersOf(record));
  },
  isUsed: (name, cnf) => cnf.uci.sections(config, "rule").some(({ options }) => options.get("use_policy") === name),
  diesWithoutConfig: () => new LuaError("mwan3_rest", 87, "attempt to index local 'members' (a boolean value)"),
  partNames: (record) => membersOf(record).map((member) => memberName(record, member)),
  read: (record, section, cnf) => ({
    ...record,
    members: listOf(section.options.get("use_member")).flatMap((name): FieldValue[] => {
      const member = findByName(cnf, config, "member", name);
      if (!member) return [];
      const options = memberOptions.map((option) => [option, member.options.get(option)] as const);
      return [{ name, ...Object.fromEntries(options.filter(([, value]) => value !== undefined)) }];
    }),
  }),
  write(record, cnf) {
    if (record.members === undefined) {
      throw new LuaError("mwan3_rest", 145, "attempt to get length of local 'members' (a nil value)");
    }
    const members = membersOf(record);
    if (members.some((member) => member.interface === undefined)) {
      throw new LuaError("mwan3_rest", 146, "attempt to concatenate field 'interface' (a nil value)");
    }
    refuseSameInterface(members);
    const names = members.map((member) => writeMember(record, member, cnf));
    const policy = addNamed(cnf, config, "policy", String(record.name));
    if (policy) cnf.uci.set(config, policy, "use_member", names);
  },
  removeParts(section, _name, cnf) {
    const names = listOf(section.options.get("use_member"));
    for (const member of cnf.uci.sections(config, "member")) {
      if (names.includes(nameOf({ named: true }, member))) cnf.uci.remove(config, member);
    }
  },
};

function writeMember(record: FieldRecord, member: FieldRecord, cnf: Cnf): string {
  const name = memberName(record, member);
  if (cnf.uci.get(config, name)) throw new Refusal(409, "Conflict");
  const section = addNamed(cnf, config, "member", name);
  for (const option of memberOptions) {
    const value = asUci(member[option]);
    if (section && value !== undefined) cnf.uci.set(config, section, option, value);
  }
  return name;
}

function refuseSameInterface(members: readonly FieldRecord[]): void {
  if (new Set(members.map((member) => member.interface)).size < members.length) {
    throw new Refusal(400, "Same interface is used in different members");
  }
}

function memberName(record: FieldRecord, member: FieldRecord): string {
  return `${record.name}_${member.interface}`;
}

/** Returns the members in the record of a policy; empty if the field is not a list. */
function membersOf(record: FieldRecord): readonly FieldRecord[] {
  return Array.isArray(record.members) ? record.members.filter((member) => typeof member === "object") : [];
}
