import type { AttachedNetwork } from "../cnf/networks.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { UciObject, UciValue } from "../uci/uci-object.ts";

type Values = Readonly<Record<string, unknown>>;

/** Fields that have a different name on a CNF. */
const renamed: Readonly<Record<string, string>> = { remote: "gateway", not: "flag" };

/**
 * Derives a spec from an object on a CNF, based only on field names: the spec contains the fields in the kind's schema,
 * with the values that the CNF's object has under the same names. The result can be verified only by converting it
 * back.
 */
export function specOf(kind: CnfKind, object: UciObject, networks: readonly AttachedNetwork[]): object {
  const networkOf = (name: unknown): unknown => networks.find((each) => each.interface === name)?.name ?? name;
  const named = (value: UciValue): unknown =>
    Array.isArray(value) ? value.map((each: unknown) => networkOf(each)) : networkOf(value);
  const fields = propertiesOf(schemaOf(kind));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]): [string, unknown][] => {
      const value = object[renamed[field] ?? field];
      if (value === undefined || value === null || value === "" || field === "name") return [];
      if (field === "network") return [[field, named(value)]];
      if (field === "members" && Array.isArray(value))
        return [[field, value.map((member: unknown) => memberOf(member, networkOf))]];
      return [[field, shaped(schema, value)]];
    }),
  );
}

/** Returns a member of an Mwan3Policy. The CNF stores its numbers as text. */
function memberOf(member: unknown, networkOf: (name: unknown) => unknown): object {
  const { interface: name, metric, weight }: Values = { ...Object(member) };
  return { network: networkOf(name), metric: Number(metric), weight: Number(weight) };
}

/** Converts a value of a CNF to the type that a schema requires. */
function shaped(schema: unknown, value: unknown): unknown {
  const { type, items }: Values = { ...Object(schema) };
  if (type === "array") return (Array.isArray(value) ? value : [value]).map((each) => shaped(items, each));
  if (type === "integer") return Number(value);
  if (type === "boolean") return value === true || value === "1";
  if (type !== "object" || typeof value !== "object" || value === null) return value;
  const own: Values = { ...value };
  return Object.fromEntries(
    Object.entries(propertiesOf(schema)).flatMap(([field, of]): [string, unknown][] =>
      own[field] === undefined || own[field] === null || own[field] === "" ? [] : [[field, shaped(of, own[field])]],
    ),
  );
}

function schemaOf({ kind }: CnfKind): unknown {
  const [version] = kind.crd.spec.versions;
  return propertiesOf(version?.schema?.openAPIV3Schema).spec;
}

function propertiesOf(schema: unknown): Values {
  const { properties }: Values = { ...Object(schema) };
  return { ...Object(properties) };
}
