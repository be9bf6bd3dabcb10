import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import {
  byName,
  destinationIn,
  isIn,
  listIn,
  nameOfTraced,
  objectsAt,
  type TracedCnf,
  type TracedObject,
  textIn,
} from "./traced-cnf.ts";
import type { Match, Walk } from "./walk.ts";

export const zonesPath = "firewall/v1/zones";
const rulesPath = "firewall/v1/rules";
const forwardingsPath = "firewall/v1/forwardings";

/** A packet filter's action on a packet. */
export type FilterAction = "ACCEPT" | "REJECT" | "DROP";

/** Zones that apply to IPv4, in the order in which the firewall tries them. */
const zonesOf = (cnf: TracedCnf): readonly TracedObject[] =>
  objectsAt(cnf, zonesPath).filter(({ object }) => textIn(object, "family") !== "ipv6");

const zonesByName = (cnf: TracedCnf): ReadonlyMap<string, TracedObject> => byName(zonesOf(cnf));

/** Returns the first zone with the given name. */
export const zoneNamed = (walk: Walk, name: string): TracedObject | undefined => walk.of(zonesByName).get(name);

/**
 * Reports whether the zones to which an object refers exist for IPv4. If they do not, the firewall skips the object.
 */
export const hasZones = (walk: Walk, { object }: TracedObject): boolean =>
  ["src", "dest"].every((field) => textIn(object, field) === "" || zoneNamed(walk, textIn(object, field)));

/** Returns the name that other objects use to refer to a zone. */
export const zoneName = ({ object }: TracedObject): string => textIn(object, "name");

/**
 * Reports whether a packet enters through a zone, or leaves through it. A zone is a set of interfaces, or of networks, or of networks behind
 * interfaces.
 *
 * @see openwrt/firewall3 zones.c print_interface_rules
 */
function isInZone({ packet }: Walk, { object }: TracedObject, direction: "in" | "out"): Match {
  const [device, address] =
    direction === "in" ? [packet.incoming, packet.source] : [packet.outgoing, packet.destination];
  const [devices, subnets] = [listIn(object, "network"), listIn(object, "subnet")];
  const extra = textIn(object, "extra_src") !== "" || textIn(object, "etra_dest") !== "";
  if (devices.length === 0 && subnets.length === 0) return extra ? "maybe" : "no";
  if (subnets.length > 0 && !subnets.some((each) => isIn(destinationIn(each) ?? nowhere, address))) return "no";
  if (devices.length > 0 && device === undefined) return "maybe";
  if (devices.length > 0 && !devices.includes(device ?? "")) return "no";
  return extra ? "maybe" : "yes";
}

const nowhere = { address: 0, bits: 32 };

const conditionFor = (walk: Walk, name: string, direction: "in" | "out"): string => {
  const { incoming, outgoing } = walk.packet;
  if (direction === "in" && incoming === undefined) return `the packet does not enter through ${name} (pass --in)`;
  if (direction === "out" && outgoing === undefined)
    return `the packet does not leave through ${name} (its route is not known)`;
  return `the additional arguments of ${name} do not match`;
};

/** Returns the zones through which a packet enters or leaves, in order. If this is uncertain for a zone, records a condition. */
export const zonesWith = (walk: Walk, direction: "in" | "out"): readonly TracedObject[] =>
  walk
    .of(zonesOf)
    .filter((zone) =>
      walk.isCertain(isInZone(walk, zone, direction), conditionFor(walk, nameOfTraced(zone, zonesPath), direction)),
    );

/** Reports whether a packet leaves through the zone of a name. */
function leavesThrough(walk: Walk, name: string): boolean {
  const zone = zoneNamed(walk, name);
  if (!zone) return false;
  const condition = conditionFor(walk, nameOfTraced(zone, zonesPath), "out");
  return walk.isCertain(isInZone(walk, zone, "out"), condition);
}

const bySource = (objects: readonly TracedObject[]): ReadonlyMap<string, readonly TracedObject[]> =>
  Map.groupBy(objects, ({ object }) => textIn(object, "src"));

const rulesBySource = (cnf: TracedCnf) => bySource(objectsAt(cnf, rulesPath));

const forwardingsBySource = (cnf: TracedCnf) =>
  bySource(objectsAt(cnf, forwardingsPath).filter(({ object }) => textIn(object, "family") !== "ipv6"));

const isVerdict = (target: string): target is FilterAction =>
  target === "ACCEPT" || target === "REJECT" || target === "DROP";

/** Rules with a target that accepts or refuses a packet, from a zone and to a zone. Empty names: not restricted. */
function* verdictsOf(walk: Walk, src: string, dest: string | undefined) {
  for (const rule of walk.of(rulesBySource).get(src) ?? []) {
    const target = textIn(rule.object, "target") || "REJECT";
    const to = textIn(rule.object, "dest");
    if (dest === undefined ? to === "" : to !== dest) continue;
    if (isVerdict(target) && hasZones(walk, rule)) yield { rule, target, dest: to };
  }
}

/** Tries the rules of the firewall in order. Undefined if none decides. */
function byRules(walk: Walk, src: string, dest: string | undefined): FilterAction | undefined {
  for (const { rule, target, dest: to } of verdictsOf(walk, src, dest)) {
    const name = nameOfTraced(rule, rulesPath);
    if (to !== "" && isInZoneNamed(walk, to) === "no") continue;
    if (!walk.matches(FirewallRule, withoutZones(rule), name)) continue;
    if (to !== "" && !leavesThrough(walk, to)) continue;
    walk.note("filter", `${target} by ${name}`, rule.resource);
    return target;
  }
  return undefined;
}

function isInZoneNamed(walk: Walk, name: string): Match {
  const zone = zoneNamed(walk, name);
  return zone ? isInZone(walk, zone, "out") : "no";
}

/** Zones are compared before. */
const withoutZones = ({ object }: TracedObject) => ({ ...object, src: "", dest: "" });

/** Policy of the CNF's firewall that is not a resource. ICN's image accepts. */
const defaultPolicy: FilterAction = "ACCEPT";

function policyOf({ object }: TracedObject, field: "input" | "output" | "forward"): FilterAction {
  const policy = textIn(object, field);
  return isVerdict(policy) ? policy : defaultPolicy;
}

const policyText = (zone: TracedObject, field: "input" | "output" | "forward"): string =>
  textIn(zone.object, field) === ""
    ? `the default policy, because ${nameOfTraced(zone, zonesPath)} does not set ${field}`
    : `the policy ${field} of ${nameOfTraced(zone, zonesPath)}`;

/**
 * Determines what happens to a packet that the CNF forwards, after the interface rules.
 *
 * @see openwrt/firewall3 main.c, rules.c, forwards.c, zones.c: for each zone, first its rules, then forwardings, then translated
 * connections, then the policy
 */
export function forwarded(walk: Walk): FilterAction {
  const forwardings = walk.of(forwardingsBySource);
  const accepts = (forwarding: TracedObject): boolean => {
    const dest = textIn(forwarding.object, "dest");
    if (!hasZones(walk, forwarding)) return false;
    if (dest !== "" && !leavesThrough(walk, dest)) return false;
    const name = nameOfTraced(forwarding, forwardingsPath);
    walk.note(
      "filter",
      `ACCEPT by ${name}: from ${textIn(forwarding.object, "src") || "any zone"} to ${dest || "any zone"}`,
      forwarding.resource,
    );
    return true;
  };
  if (forwardings.get("")?.some(accepts)) return "ACCEPT";
  for (const zone of byName(zonesWith(walk, "in")).values()) {
    const name = zoneName(zone);
    walk.note("filter", `enters through ${nameOfTraced(zone, zonesPath)}`, zone.resource);
    const decided = byRules(walk, name, undefined);
    if (decided) return decided;
    if (forwardings.get(name)?.some(accepts)) return "ACCEPT";
    if (acceptsRedirected(walk, zone)) return "ACCEPT";
    if (leavesThrough(walk, name)) {
      const action = policyOf(zone, "forward");
      walk.note("filter", `${action} by ${policyText(zone, "forward")}: leaves through the same zone`, zone.resource);
      return action;
    }
  }
  return byDefault(walk, "forward");
}

/** Reports whether a zone accepts a packet because its destination was translated. */
function acceptsRedirected(walk: Walk, zone: TracedObject): boolean {
  const { isRedirected } = walk.packet;
  if (isRedirected) {
    const name = nameOfTraced(zone, zonesPath);
    walk.note("filter", `ACCEPT by ${name}, because the destination was translated`, zone.resource);
  }
  return isRedirected;
}

/** Determines what happens to a packet to the CNF itself, after the interface rules. */
export function received(walk: Walk): FilterAction {
  for (const zone of zonesWith(walk, "in")) {
    walk.note("filter", `enters through ${nameOfTraced(zone, zonesPath)}`, zone.resource);
    const decided = byRules(walk, zoneName(zone), "");
    if (decided) return decided;
    if (acceptsRedirected(walk, zone)) return "ACCEPT";
    const action = policyOf(zone, "input");
    walk.note("filter", `${action} by ${policyText(zone, "input")}`, zone.resource);
    return action;
  }
  return byDefault(walk, "input");
}

/** Determines what happens to a packet from the CNF itself. */
export function sent(walk: Walk): FilterAction {
  const decided = byRules(walk, "", "");
  if (decided) return decided;
  for (const zone of zonesWith(walk, "out")) {
    walk.note("filter", `leaves through ${nameOfTraced(zone, zonesPath)}`, zone.resource);
    const byZone = byRules(walk, "", zoneName(zone));
    if (byZone) return byZone;
    const action = policyOf(zone, "output");
    walk.note("filter", `${action} by ${policyText(zone, "output")}`, zone.resource);
    return action;
  }
  return byDefault(walk, "output");
}

function byDefault(walk: Walk, field: "input" | "output" | "forward"): FilterAction {
  walk.note("filter", `${defaultPolicy} by the CNF's default policy ${field}: no zone decides`);
  return defaultPolicy;
}
