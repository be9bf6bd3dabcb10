import { CNFNAT } from "../api/cnf-nat.ts";
import { translationFields } from "../api/translation.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { kernelAddress, networkIn, portIn } from "../uci/networks.ts";
import { texts, type UciObject } from "../uci/uci-object.ts";

const isDnat = ({ target }: UciObject): boolean => target === "DNAT";

/** The properties of a translation that determine whether another translation may match some of the same packets. */
interface Matched {
  readonly name: string;
  /** First and last address of the destination. */
  readonly first: number;
  readonly last: number;
  /** Undefined if the translation may match packets to any port. */
  readonly port: number | undefined;
}

const maxAddress = 2 ** 32 - 1;

function matchedBy(name: string, object: UciObject): Matched {
  const { src_dip, src_dport, dest_ip, dest_port } = texts(object, translationFields);
  const [address = "", port = ""] = isDnat(object) ? [src_dip, src_dport] : [dest_ip, dest_port];
  const [network, number] = [networkIn(address), portIn(port)];
  const last = typeof network === "object" ? network.address + 2 ** (32 - network.bits) - 1 : maxAddress;
  return {
    name,
    first: typeof network === "object" ? network.address : 0,
    last,
    port: number === "unclear" ? undefined : number,
  };
}

/** Divides translations at one position into groups, so that no packet matches translations of two groups. */
function byPackets(matched: readonly Matched[]): readonly (readonly string[])[] {
  const groups: Matched[][] = [];
  let last = -1;
  for (const each of matched.toSorted((a, b) => a.first - b.first)) {
    if (each.first > last) groups.push([]);
    groups.at(-1)?.push(each);
    last = Math.max(last, each.last);
  }
  return groups.flatMap((group) => {
    const matchesAnyPort = group.some(({ port }) => port === undefined);
    return [...Map.groupBy(group, ({ port }) => (matchesAnyPort ? undefined : port)).values()].map((each) =>
      each.map(({ name }) => name),
    );
  });
}

export const cnfNat = cnfKind({
  kind: CNFNAT,
  config: "nat",
  collection: "nats",
  rank: 2,
  joinsFirewall: true,
  precedence: "first",
  hasPosition: ({ index }) => Number(index) > 0,
  positions: {
    groupsOf: (objects) =>
      [...Map.groupBy(objects, ([, object]) => `${isDnat(object)} ${Number(object.index)}`).values()].flatMap((all) =>
        byPackets(all.map(([name, object]) => matchedBy(name, object))),
      ),
    precedence: "last",
    isInserted: true,
  },
  kernelRules: (object) => {
    const { src_ip = "", src_dip = "", dest_ip = "", ...others } = texts(object, ["src", "dest", ...translationFields]);
    return [JSON.stringify([object.target, others, ...[src_ip, src_dip, dest_ip].map(kernelAddress)])];
  },
  toUci: ({ spec }) => texts(spec ?? {}, ["src", "dest", ...translationFields, "target", "index"]),
});
