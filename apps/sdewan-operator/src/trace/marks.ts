import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { markIn } from "../effect/field-values.ts";
import type { UciObject, UciValue } from "../uci/uci-object.ts";
import { dotted } from "./flow.ts";
import {
  byName,
  interfaceOfAlias,
  isIn,
  nameOfTraced,
  objectsAt,
  type TracedCnf,
  type TracedObject,
  textIn,
} from "./traced-cnf.ts";
import type { Walk } from "./walk.ts";
import { zoneName, zoneNamed, zonesWith } from "./zones.ts";

const networkRulesPath = "networkfirewall/v1/rules";
const firewallRulesPath = "firewall/v1/rules";
const mwan3RulesPath = "mwan3/v1/rules";
const policiesPath = "mwan3/v1/policies";

/** Bits of the mark that mwan3 uses, as the start script of the CNF sets them (`mmx_mask`). */
const mwan3Bits = 0x3f_00;
const allBits = 0xff_ff_ff_ff;

/** mwan3's routing decision for a packet. */
export interface WanChoice {
  /** Interface of mwan3 that the packet enters through. The table of this interface comes first. */
  readonly entry: string | undefined;
  /**
   * Interface whose table is used next: the interface chosen by a rule, or the interface through which the packet enters. `unreachable`:
   * none of a policy's interfaces is online. Undefined: mwan3 does not choose an interface.
   */
  readonly mark: { readonly name: string } | "unreachable" | undefined;
}

/**
 * Applies the rules that mark a packet before its destination is translated: interface rules, mwan3 rules and firewall
 * rules.
 *
 * @param isOwn true if the CNF itself sends the packet
 */
export function markPacket(walk: Walk, isOwn: boolean): WanChoice {
  if (!isOwn) {
    untrack(walk);
    for (const rule of objectsAt(walk.cnf, networkRulesPath)) {
      if (textIn(rule.object, "target") !== "MARK") continue;
      const object = onInterfaces(walk, rule.object);
      const name = nameOfTraced(rule, networkRulesPath);
      // The CNF adds such a rule without the interface in `dest`.
      if (object && walk.matches(NetworkFirewallRule, { ...object, dest: "" }, name)) setMark(walk, rule, name, true);
      else if (!object) walk.require(`${name} does not match (its interface is not known)`);
    }
  }
  const choice = chosenByMwan3(walk, isOwn);
  for (const rule of objectsAt(walk.cnf, firewallRulesPath)) {
    const { object } = rule;
    const name = nameOfTraced(rule, firewallRulesPath);
    // With a source zone, the rule applies to packets from all zones: fw3 does not restrict it to the zone's interfaces.
    const isHere =
      textIn(object, "target") === "MARK" && textIn(object, "dest") === "" && hasSource(walk, rule) === !isOwn;
    if (!isHere || !walk.matches(FirewallRule, { ...object, src: "" }, name)) continue;
    // Which of the two comes first depends on whether the firewall or mwan3 was started last.
    if (choice.mark !== undefined && (maskOf(object) & mwan3Bits) !== 0)
      walk.require(`${name} does not replace mwan3's mark, which is certain only with a mask`);
    setMark(walk, rule, name, false);
  }
  return choice;
}

/** Reports whether a rule names a source zone. Undefined if the zone does not exist for IPv4. */
function hasSource(walk: Walk, { object }: TracedObject): boolean | undefined {
  const src = textIn(object, "src");
  return src === "" ? false : zoneNamed(walk, src) !== undefined || undefined;
}

const untrackedBySource = (cnf: TracedCnf): ReadonlyMap<string, readonly TracedObject[]> =>
  Map.groupBy(
    objectsAt(cnf, firewallRulesPath).filter(({ object }) => textIn(object, "target") === "NOTRACK"),
    ({ object }) => textIn(object, "src"),
  );

const policiesByName = (cnf: TracedCnf): ReadonlyMap<string, TracedObject> => byName(objectsAt(cnf, policiesPath));

/** Stops tracking of a connection if a rule with the target NOTRACK matches. */
function untrack(walk: Walk): void {
  for (const zone of zonesWith(walk, "in"))
    for (const rule of walk.of(untrackedBySource).get(zoneName(zone)) ?? []) {
      const { object, resource } = rule;
      const name = nameOfTraced(rule, firewallRulesPath);
      if (!walk.matches(FirewallRule, { ...object, src: "", dest: "" }, name)) continue;
      walk.packet.isUntracked = true;
      walk.note("mark", `${name}: the connection is not tracked, and therefore not translated`, resource);
      return;
    }
}

/** Returns an interface rule with the names of its interfaces, or undefined if one of the interfaces is unknown. */
export function onInterfaces(walk: Walk, object: UciObject): UciObject | undefined {
  const src = textIn(object, "src_val") || interfaceOfAlias(walk.cnf, textIn(object, "src"));
  const dest = textIn(object, "dest_val") || interfaceOfAlias(walk.cnf, textIn(object, "dest"));
  return src === undefined || dest === undefined ? undefined : { ...object, src, dest };
}

/** Returns the bits that a rule sets. */
function maskOf(object: UciObject): number {
  const mark = markIn(textIn(object, "set_mark") || textIn(object, "set_xmark"));
  return typeof mark === "object" ? mark.mask : allBits;
}

/** @param prefersXor true if `set_xmark` applies rather than `set_mark`, if both are set */
function setMark(walk: Walk, { object, resource }: TracedObject, name: string, prefersXor: boolean): void {
  const [plain, xor] = [textIn(object, "set_mark"), textIn(object, "set_xmark")];
  const usesXor = plain === "" || (prefersXor && xor !== "");
  const text = usesXor ? xor : plain;
  const change = markIn(text);
  if (typeof change !== "object") {
    walk.require(`${name} does not match (the mark ${text} cannot be interpreted)`);
    return;
  }
  const { mark } = walk.packet;
  const kept = (mark.value & ~change.mask) >>> 0;
  const value = (usesXor ? kept ^ change.value : kept | change.value) >>> 0;
  walk.packet.mark = { value, mask: (mark.mask | change.mask) >>> 0, inverted: false };
  walk.note("mark", `${name}: the mark becomes 0x${value.toString(16)}`, resource);
}

/**
 * Applies mwan3: packets that enter through one of its interfaces are routed like their connection; for all others, the first matching rule
 * decides, unless the destination is connected.
 *
 * @see openwrt packages net/mwan3/files/lib/mwan3/mwan3.sh mwan3_set_general_iptables, mwan3_create_iface_iptables
 */
function chosenByMwan3(walk: Walk, isOwn: boolean): WanChoice {
  const { packet, cnf } = walk;
  const policies = objectsAt(cnf, policiesPath);
  const none: WanChoice = { entry: undefined, mark: undefined };
  if (policies.length === 0 && !cnf.wan?.size) return none;
  const entry =
    !isOwn && packet.incoming !== undefined && isTracked(walk, packet.incoming) ? packet.incoming : undefined;
  if ((packet.mark.value & packet.mark.mask & mwan3Bits) !== 0) {
    walk.require("no mwan3 rule matches the packet's mark");
    return { ...none, entry };
  }
  if (entry !== undefined) {
    walk.note("mark", `mwan3 routes by interface: the packet enters through ${entry}, so its rules do not apply`);
    forgetMark(walk);
    return { entry, mark: isConnected(walk, packet.source) ? undefined : { name: entry } };
  }
  if (!isOwn && packet.incoming === undefined && policies.length > 0)
    walk.require("the packet does not enter through an mwan3 interface (pass --in)");
  if (isConnected(walk, packet.destination)) {
    forgetMark(walk);
    walk.note("mark", "mwan3 does not handle the packet, because the main table has a route to its destination");
    return none;
  }
  if (!cnf.routes && policies.length > 0)
    walk.require(`${dotted(packet.destination)} has no route in the CNF's main table except the default route`);
  for (const rule of objectsAt(cnf, mwan3RulesPath)) {
    const name = nameOfTraced(rule, mwan3RulesPath);
    const policy = walk.of(policiesByName).get(textIn(rule.object, "policy"));
    if (!policy || !walk.matches(Mwan3Rule, rule.object, name)) continue;
    forgetMark(walk);
    walk.note("mark", `${name} uses ${nameOfTraced(policy, policiesPath)}`, rule.resource);
    if (textIn(rule.object, "sticky") === "1")
      walk.require(`the source has not used a different interface recently (${name} is sticky)`);
    return { entry, mark: memberOf(walk, policy) };
  }
  return none;
}

/** The bits of mwan3 are set to a number that depends on the order of interfaces. */
function forgetMark({ packet }: Walk): void {
  const { value, mask } = packet.mark;
  packet.mark = { value: (value & ~mwan3Bits) >>> 0, mask: (mask & ~mwan3Bits) >>> 0, inverted: false };
}

const stateOf = ({ cnf }: Walk, name: string): "online" | "unclear" | "offline" =>
  cnf.wan ? (cnf.wan.get(name) ?? "offline") : "unclear";

/**
 * Reports whether an interface belongs to mwan3, regardless of its state. Without a report, all interfaces except the pod network's are
 * assumed to belong to mwan3.
 */
export const isOfMwan3 = ({ wan }: Walk["cnf"], name: string): boolean => (wan ? wan.has(name) : name !== "eth0");

/**
 * Reports whether an interface belongs to mwan3 and is not offline. Without a report, all interfaces except the pod
 * network's are treated as such.
 */
function isTracked(walk: Walk, name: string): boolean {
  if (walk.cnf.wan) return walk.cnf.wan.has(name) && stateOf(walk, name) !== "offline";
  const isAttached = name !== "eth0" && walk.cnf.interfaces.some((each) => each.name === name);
  if (isAttached) walk.require(`mwan3 has the interface ${name}, and it is not offline`);
  return isAttached;
}

/** Reports whether an address has a route in the main table other than the default route. mwan3 does not change the routes of such packets. */
function isConnected({ cnf }: Walk, address: number): boolean {
  if (cnf.interfaces.some(({ addresses }) => addresses.includes(address)) || address >= 0xe0_00_00_00) return true;
  return (cnf.routes ?? []).some(
    ({ table, destination }) => table === "main" && destination.bits > 0 && isIn(destination, address),
  );
}

interface Member {
  readonly name: string;
  readonly metric: number;
}

const isRecord = (value: unknown): value is UciObject => typeof value === "object" && value !== null;

function membersOf({ members }: UciObject): readonly Member[] {
  const list: UciValue = members ?? [];
  return (Array.isArray(list) ? list : []).flatMap((each: unknown) =>
    isRecord(each) ? [{ name: textIn(each, "interface"), metric: Number(each.metric) }] : [],
  );
}

/** Chooses the interface of a policy: of the interfaces that are online, the interface with the lowest metric. */
function memberOf(walk: Walk, policy: TracedObject): WanChoice["mark"] {
  const name = nameOfTraced(policy, policiesPath);
  const members = membersOf(policy.object).toSorted((a, b) => a.metric - b.metric);
  const usable = members.filter((member) => stateOf(walk, member.name) !== "offline");
  const [first, second] = usable;
  if (!first) {
    walk.note("mark", `${name}: none of its interfaces is online, so the packet is not routed`, policy.resource);
    return "unreachable";
  }
  if (stateOf(walk, first.name) === "unclear") walk.require(`the interface ${first.name} is online for mwan3`);
  if (second && second.metric === first.metric)
    walk.require(
      `mwan3 chooses ${first.name} among the interfaces with the metric ${first.metric}; this choice is random`,
    );
  walk.note("mark", `${name}: through ${first.name}, metric ${first.metric}`, policy.resource);
  return { name: first.name };
}
