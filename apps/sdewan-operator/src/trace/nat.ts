import { CNFNAT } from "../api/cnf-nat.ts";
import { FirewallDNAT, FirewallSNAT } from "../api/firewall/firewall-nat.ts";
import { portIn } from "../uci/networks.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { dotted } from "./flow.ts";
import {
  byName,
  destinationIn,
  interfaceOfAlias,
  isIn,
  listIn,
  nameOfTraced,
  objectsAt,
  type TracedCnf,
  type TracedObject,
  textIn,
} from "./traced-cnf.ts";
import type { Walk } from "./walk.ts";
import { hasZones, zoneName, zonesPath, zonesWith } from "./zones.ts";

const redirectsPath = "firewall/v1/redirects";
const natsPath = "nat/v1/nats";
/** Interface of the pod network. ICN's image masquerades packets that leave through it. */
const podInterface = "eth0";

const isSnat = ({ object }: TracedObject): boolean => textIn(object, "target") === "SNAT";

/** Translates the destination of a packet entering the CNF. */
export function translateDestination(walk: Walk): void {
  if (walk.packet.isUntracked) return;
  const nat = firstNat(walk, ({ object }) => textIn(object, "target") === "DNAT");
  if (nat) redirect(walk, nat, nameOfTraced(nat, natsPath));
  else
    for (const name of byName(zonesWith(walk, "in")).keys()) {
      const found = walk
        .of(dnatsByZone)
        .get(name)
        ?.find(
          (each) => hasZones(walk, each) && walk.matches(FirewallDNAT, each.object, nameOfTraced(each, redirectsPath)),
        );
      if (!found) continue;
      redirect(walk, found, nameOfTraced(found, redirectsPath));
      return;
    }
}

/** Translations of the destination by their zone, and of the source by theirs. */
const dnatsByZone = (cnf: TracedCnf): ReadonlyMap<string, readonly TracedObject[]> =>
  Map.groupBy(
    objectsAt(cnf, redirectsPath).filter((each) => !isSnat(each)),
    ({ object }) => textIn(object, "src"),
  );
const snatsByZone = (cnf: TracedCnf): ReadonlyMap<string, readonly TracedObject[]> =>
  Map.groupBy(objectsAt(cnf, redirectsPath).filter(isSnat), ({ object }) => textIn(object, "dest"));

/** Sets a new destination. Without a new address, the packet goes to the CNF itself. */
function redirect(walk: Walk, { object, resource }: TracedObject, name: string): void {
  const { packet } = walk;
  const address = addressIn(object, "dest_ip");
  const port = numberIn(object, "dest_port") ?? packet.destinationPort;
  if (address === undefined) {
    const own = walk.cnf.interfaces.find((each) => each.name === packet.incoming)?.addresses[0];
    if (own === undefined) walk.require(`the CNF has an address on ${packet.incoming ?? "the interface"}`);
    packet.destination = own ?? loopback;
  } else packet.destination = address;
  packet.destinationPort = port;
  packet.isRedirected = true;
  walk.note("destination NAT", `${name}: the destination becomes ${endpoint(packet.destination, port)}`, resource);
}

const loopback = 0x7f_00_00_01;

/** Translates the source of a packet leaving the CNF. */
export function translateSource(walk: Walk): void {
  const { packet } = walk;
  if (packet.isUntracked) return;
  const isOfSource = ({ object }: TracedObject): boolean => ["SNAT", "MASQUERADE"].includes(textIn(object, "target"));
  const nat = firstNat(walk, (each) => isOfSource(each) && hasIndex(each));
  if (nat) {
    if (packet.outgoing === podInterface && Number(textIn(nat.object, "index")) > 1)
      walk.require(`${nameOfTraced(nat, natsPath)} comes before the CNF's own rule for ${podInterface}`);
    replaceSource(walk, nat);
    return;
  }
  if (packet.outgoing === podInterface) {
    masquerade(walk, `the CNF's own rule for ${podInterface} (/etc/sdewan.user)`, undefined);
    return;
  }
  const appended = firstNat(walk, (each) => isOfSource(each) && !hasIndex(each));
  if (appended) replaceSource(walk, appended);
  else {
    const zones = zonesWith(walk, "out");
    const first = byName(zones);
    zones.some((zone) => (first.get(zoneName(zone)) === zone && bySnat(walk, zone)) || byMasquerading(walk, zone));
  }
}

function replaceSource(walk: Walk, nat: TracedObject): void {
  const name = nameOfTraced(nat, natsPath);
  if (textIn(nat.object, "target") === "MASQUERADE") masquerade(walk, name, nat.resource);
  else setSource(walk, nat, name);
}

function setSource(walk: Walk, { object, resource }: TracedObject, name: string): void {
  walk.packet.source = addressIn(object, "src_dip") ?? walk.packet.source;
  walk.packet.sourcePort = numberIn(object, "src_dport") ?? walk.packet.sourcePort;
  walk.note("source NAT", `${name}: the source becomes ${endpoint(walk.packet.source, undefined)}`, resource);
}

function masquerade(walk: Walk, name: string, resource: string | undefined): void {
  const { packet, cnf } = walk;
  const own = cnf.interfaces.find((each) => each.name === packet.outgoing)?.addresses[0];
  if (own === undefined) {
    walk.require(`masquerading uses the address of ${packet.outgoing ?? "the interface"}, which is not known`);
    walk.note("source NAT", `${name}: the source becomes the address of ${packet.outgoing}`, resource);
    return;
  }
  packet.source = own;
  walk.note("source NAT", `${name}: the source becomes ${dotted(own)}, the address of ${packet.outgoing}`, resource);
}

/** Tries the translations of a zone. Returns true if one decides. */
function bySnat(walk: Walk, zone: TracedObject): boolean {
  for (const each of walk.of(snatsByZone).get(zoneName(zone)) ?? []) {
    const name = nameOfTraced(each, redirectsPath);
    if (!hasZones(walk, each)) continue;
    if (textIn(each.object, "src_mac") !== "") continue; // the firewall skips such a translation
    if (!walk.matches(FirewallSNAT, each.object, name)) continue;
    setSource(walk, each, name);
    return true;
  }
  return false;
}

/** Masquerades the packet if its zone does. Returns true if it does. */
function byMasquerading(walk: Walk, zone: TracedObject): boolean {
  const { object } = zone;
  if (textIn(object, "masq") !== "1" || !isMasqueraded(walk, object)) return false;
  masquerade(walk, `${nameOfTraced(zone, zonesPath)} (masq)`, zone.resource);
  return true;
}

/** Reports whether the restrictions `masq_src` and `masq_dest` of a zone allow masquerading of a packet. */
function isMasqueraded({ packet }: Walk, zone: UciObject): boolean {
  return [["masq_src", packet.source] as const, ["masq_dest", packet.destination] as const].every(
    ([field, address]) => {
      const all = listIn(zone, field).map((text) => ({
        isExcluded: text.startsWith("!"),
        network: destinationIn(text.replace("!", "")),
      }));
      const has = ({ network }: (typeof all)[number]): boolean => network !== undefined && isIn(network, address);
      const included = all.filter(({ isExcluded }) => !isExcluded);
      return !all.some((each) => each.isExcluded && has(each)) && (included.length === 0 || included.some(has));
    },
  );
}

const hasIndex = ({ object }: TracedObject): boolean => Number(textIn(object, "index")) > 0;

/**
 * Returns the first CNFNAT that matches a packet. Rules with a position come before appended rules. Of several rules
 * with the same position, the rule that was written last comes first. Records a condition if a rule with another
 * position matches as well, because the order of positions depends on the times of the writes.
 */
function firstNat(walk: Walk, isWanted: (nat: TracedObject) => boolean): TracedObject | undefined {
  const nats = objectsAt(walk.cnf, natsPath).filter(isWanted);
  const positions = Map.groupBy(nats.filter(hasIndex), ({ object }) => Number(textIn(object, "index")));
  const groups = [
    ...[...positions].toSorted(([a], [b]) => a - b).map(([, group]) => group.toReversed()),
    nats.filter((nat) => !hasIndex(nat)),
  ];
  const found = groups.flatMap((group) => group.find((nat) => matchesNat(walk, nat)) ?? []);
  const [first, ...others] = found;
  if (first)
    for (const other of others)
      walk.require(
        `${nameOfTraced(first, natsPath)} comes before ${nameOfTraced(other, natsPath)}, which has a different index and also matches`,
      );
  return first;
}

function matchesNat(walk: Walk, nat: TracedObject): boolean {
  const name = nameOfTraced(nat, natsPath);
  const field = textIn(nat.object, "target") === "DNAT" ? "src" : "dest";
  const alias = textIn(nat.object, field);
  const resolved = interfaceOfAlias(walk.cnf, alias, textIn(nat.object, "src_dip"));
  if (resolved === undefined) {
    // The rule may match if the packet uses any interface.
    const isPossible = walk.isPossible(CNFNAT, { ...nat.object, [field]: "" });
    if (isPossible) walk.require(`${name} does not match (the interface ${alias} is not known)`);
    return false;
  }
  return walk.matches(CNFNAT, { ...nat.object, [field]: resolved }, name);
}

function addressIn(object: UciObject, field: string): number | undefined {
  const network = destinationIn(textIn(object, field));
  return network?.address;
}

function numberIn(object: UciObject, field: string): number | undefined {
  const port = portIn(textIn(object, field));
  return typeof port === "number" ? port : undefined;
}

/** Formats an address and port. */
export const endpoint = (address: number, port: number | undefined): string =>
  port === undefined ? dotted(address) : `${dotted(address)}:${port}`;
