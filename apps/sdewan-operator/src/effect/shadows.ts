import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { EventLoopShare } from "@kubewright/clock";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { purposeLabel } from "../api/group.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { State } from "../api/status.ts";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import type { Place } from "../cnf/discovery.ts";
import { byNameOnCnf, type FieldIndexer, nameKeyOf } from "../cnf/indexes.ts";
import type { CnfKind, RuleObject, RuleOfKind } from "../uci/cnf-kind.ts";
import { compareOrder, orderOf, orderProblem } from "../uci/order.ts";
import { contains, type PacketSet } from "./packet-set.ts";
import { decidesPackets, type Need, packetsOf, type RulePackets } from "./rule-packets.ts";

/** Index field of rules that decide packets. It finds the rules that may shadow a rule, and the rules that a rule may shadow. */
const byPackets = "kubewright.dev/packets";

type Rule = DeepReadonly<RuleObject>;

export interface ShadowSearch {
  readonly reader: Reader;
  readonly scope?: CnfScope;
  /**
   * Lets other work run between comparisons, because there may be thousands of rules with many packet sets each. By default, no other work
   * runs.
   */
  readonly share?: EventLoopShare;
}

/** Adds the index needed to search for shadowing rules. */
export function addPacketIndexes(indexer: FieldIndexer, kinds: readonly CnfKind[]): void {
  for (const { kind } of kinds)
    if (decidesPackets(kind))
      indexer.indexField(kind, byPackets, (object) => {
        const purpose = object.metadata.labels?.[purposeLabel];
        const packets = packetsOf(kind, object.spec);
        return purpose === undefined || !packets ? [] : keysOf(purpose, packets);
      });
}

/** Returns the protocol of packets, and their port or ICMP type, each `*` if it may be any. */
const keyOf = ({ protocol, destinationPort, icmp }: PacketSet): string =>
  `${protocol ?? "*"}:${destinationPort ?? icmp?.type ?? "*"}`;

const decidesKey = (purpose: string, chain: string, key: string): string => `${purpose} ${chain} decides ${key}`;
const matchesKey = (purpose: string, chain: string, key: string): string => `${purpose} ${chain} matches ${key}`;

const keysOf = (purpose: string, { chain, possible, certain }: RulePackets): string[] => [
  ...new Set([
    ...certain.map((set) => decidesKey(purpose, chain, keyOf(set))),
    ...possible.flatMap((set) =>
      [keyOf(set), `${set.protocol ?? "*"}`, ""].map((key) => matchesKey(purpose, chain, key)),
    ),
  ]),
];

/** Returns the keys under which a rule that decides all of these packets may be found. */
const keysOfDeciders = (set: PacketSet): readonly string[] => [
  ...new Set([keyOf(set), keyOf({ ...set, destinationPort: undefined, icmp: undefined }), "*:*"]),
];

/** Reports whether the key of a set contains a port or an ICMP type, and not only a protocol. */
const isSpecific = ({ destinationPort, icmp }: PacketSet): boolean =>
  destinationPort !== undefined || icmp !== undefined;

/** Returns a key under which every rule is found that matches only packets of this set. */
function keyOfMatchers(set: PacketSet): string {
  if (set.protocol === undefined) return "";
  return isSpecific(set) ? keyOf(set) : String(set.protocol);
}

type SetsByKey = ReadonlyMap<string, readonly PacketSet[]>;
const known = new WeakMap<readonly PacketSet[], SetsByKey>();

/** Groups the sets of a rule by their key. A rule may have a set for each of many ICMP types, and few of them are worth comparing. */
function byKeyIn(sets: readonly PacketSet[]): SetsByKey {
  const found = known.get(sets) ?? Map.groupBy(sets, keyOf);
  known.set(sets, found);
  return found;
}

/**
 * Returns the rules that shadow a rule, in their order on the CNF: together, they match all of its packets before the
 * CNF tries the rule. Returns an empty list if some packets may reach the rule, or if this is unknown.
 */
export async function shadowsOver(search: ShadowSearch, own: RuleOfKind, place: Place): Promise<readonly RuleOfKind[]> {
  const { kind, object } = own;
  const packets = packetsOf(kind.kind, object.spec);
  const { purpose } = place;
  if (!packets || packets.possible.length === 0 || purpose === undefined || orderProblem(object)) return [];
  const sets = packets.possible.map((set) => ({ set, keys: keysOfDeciders(set) }));
  const found = new Map<string, Rule>();
  for (const key of new Set(sets.flatMap(({ keys }) => keys)))
    for (const rule of await rulesOf(search, kind, place, decidesKey(purpose, packets.chain, key)))
      found.set(idOf(rule), rule);
  const earlier: Rule[] = [];
  for (const rule of found.values()) {
    await turn(search);
    // There may be thousands of rules, and few of them decide these packets, so the order is compared last.
    if (sets.some(({ set, keys }) => decides(kind, rule, set, keys)) && isEarlier(object, rule)) earlier.push(rule);
  }
  earlier.sort(inOrder);
  const shadows = new Set<Rule>();
  const needs = new Map<string, boolean>();
  for (const { set, keys } of sets) {
    await turn(search);
    const deciders = earlier.filter((rule) => decides(kind, rule, set, keys));
    const first = await firstWithNeeds(search, kind, place, deciders, needs);
    if (!first) return [];
    shadows.add(first);
  }
  return [...shadows].sort(inOrder).map((rule) => ({ kind, object: rule }));
}

/** Returns the rules that may come after a rule on the CNF and may lose packets to it. */
export async function mayBeShadowedBy(
  search: ShadowSearch,
  own: RuleOfKind,
  place: Place,
): Promise<readonly RuleOfKind[]> {
  const { kind, object } = own;
  const packets = packetsOf(kind.kind, object.spec);
  const { purpose } = place;
  if (!packets || purpose === undefined || orderProblem(object)) return [];
  const parts = new Map<string, Rule>();
  for (const set of packets.certain) {
    const key = keyOf(set);
    for (const rule of await rulesOf(search, kind, place, matchesKey(purpose, packets.chain, keyOfMatchers(set)))) {
      const id = idOf(rule);
      if (parts.has(id)) continue;
      await turn(search);
      const possible = packetsOf(kind.kind, rule.spec)?.possible ?? [];
      const compared = isSpecific(set) ? (byKeyIn(possible).get(key) ?? []) : possible;
      if (compared.some((each) => contains(set, each))) parts.set(id, rule);
    }
  }
  const later: RuleOfKind[] = [];
  for (const rule of parts.values())
    if (isOther(rule, object) && !orderProblem(rule) && inOrder(object, rule) < 0) later.push({ kind, object: rule });
  return later;
}

/** Reports whether a rule matches all packets that another rule may match. Returns false if this is uncertain. */
export async function decidesAll(
  search: ShadowSearch,
  { kind, object }: RuleOfKind,
  place: Place,
  { object: other }: RuleOfKind,
): Promise<boolean> {
  await turn(search);
  const sets = packetsOf(kind.kind, other.spec)?.possible ?? [];
  if (!sets.every((set) => decides(kind, object, set, keysOfDeciders(set)))) return false;
  return (await firstWithNeeds(search, kind, place, [object], new Map())) !== undefined;
}

async function turn({ share }: ShadowSearch): Promise<void> {
  if (share?.isUsedUp()) await share.nextTurn();
}

/** Returns the message for a rule that is shadowed by other rules. */
export function shadowedBy(shadows: readonly RuleOfKind[]): string {
  const [come, match] = shadows.length === 1 ? ["comes", "matches"] : ["come", "match"];
  return `${namesOf(shadows)} ${come} before it on the CNF and ${match} all of its packets`;
}

/** Maximum number of rules named in a message. */
const maxNamed = 3;

/** Formats the names of rules for a message. */
export function namesOf(rules: readonly RuleOfKind[]): string {
  const names = rules.slice(0, maxNamed).map(({ kind, object }) => `${kind.kind.kind} ${idOf(object)}`);
  return `${names.join(", ")}${rules.length > maxNamed ? ` and ${rules.length - maxNamed} more` : ""}`;
}

const idOf = ({ metadata }: Rule): string => `${metadata.namespace}/${metadata.name}`;

const isOther = (a: Rule, b: Rule): boolean => idOf(a) !== idOf(b);

const inOrder = (a: Rule, b: Rule): number => compareOrder(orderOf(a), orderOf(b));

/** Reports whether a rule decides all packets of a set. @param keys the set's {@link keysOfDeciders} */
function decides({ kind }: CnfKind, { spec }: Rule, set: PacketSet, keys: readonly string[]): boolean {
  const sets = byKeyIn(packetsOf(kind, spec)?.certain ?? []);
  return keys.some((key) => sets.get(key)?.some((each) => contains(each, set)));
}

/** Reports whether the CNF has `rule` before the given rule. */
const isEarlier = (object: Rule, rule: Rule): boolean =>
  isOther(rule, object) && isOnCnf(rule) && !orderProblem(rule) && inOrder(rule, object) < 0;

/** Reports whether a rule's object is on the CNF and the rule is not being deleted. */
export const isOnCnf = ({ metadata, status }: Rule): boolean =>
  status?.state === State.inSync && metadata.deletionTimestamp === undefined;

async function rulesOf(
  { reader, scope = everyNamespace }: ShadowSearch,
  { kind }: CnfKind,
  { namespace }: Place,
  key: string,
): Promise<readonly Rule[]> {
  const rules = await reader.list(kind, { fields: { [byPackets]: key } });
  return rules.filter(({ metadata }) => namespace === undefined || scope.allows(metadata.namespace, namespace));
}

async function firstWithNeeds(
  search: ShadowSearch,
  kind: CnfKind,
  place: Place,
  rules: readonly Rule[],
  known: Map<string, boolean>,
): Promise<Rule | undefined> {
  for (const rule of rules) {
    let isMet = true;
    for (const need of packetsOf(kind.kind, rule.spec)?.needs ?? []) {
      const id = JSON.stringify(need);
      const met = known.get(id) ?? (await isNeedMet(search, place, need));
      known.set(id, met);
      isMet &&= met;
    }
    if (isMet) return rule;
  }
  return undefined;
}

async function isNeedMet(
  { reader, scope = everyNamespace }: ShadowSearch,
  { namespace, purpose = "" }: Place,
  need: Need,
): Promise<boolean> {
  const fields = { [byNameOnCnf]: nameKeyOf(purpose, need.name) };
  const isHere = (object: Rule): boolean =>
    isOnCnf(object) && (namespace === undefined || scope.allows(object.metadata.namespace, namespace));
  if (need.type === "policy") return (await reader.list(Mwan3Policy, { fields })).some(isHere);
  return (await reader.list(FirewallZone, { fields })).some((zone) => isHere(zone) && suits(need, zone.spec));
}

/** Reports whether a zone meets the requirement of a rule. */
function suits({ trait }: Need, zone: DeepReadonly<FirewallZone>["spec"]): boolean {
  if (trait === "ipv4") return zone?.family !== "ipv6";
  return (zone?.extra_src ?? "").trim() === "" && (zone?.etra_dest ?? "").trim() === "";
}
