import { type DeepReadonly, ignoreNotFound, keyOf, type ObjectKey } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, EventLoopShare, type Timer } from "@kubewright/clock";
import type { ObjectEvent } from "@kubewright/controller";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { orderAnnotation, purposeLabel } from "../api/group.ts";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { State } from "../api/status.ts";
import type { CnfModule } from "../cnf/cnf-api.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { type Cnf, findCnf, type Place } from "../cnf/discovery.ts";
import { byNameOnCnf, byPurpose, nameKeyOf } from "../cnf/indexes.ts";
import type { Origin } from "../cnf/session/change.ts";
import { mwan3Policy } from "../kinds/mwan3-policy.ts";
import { type ConditionValue, effectiveIn, ineffective, notReported, Reason } from "../reporting/conditions.ts";
import { type EventReporter, silentReporter } from "../reporting/event-reporter.ts";
import { reportShadows } from "../reporting/not-ready-events.ts";
import type { TunnelLog } from "../reporting/tunnel-log.ts";
import type { CnfKind, RuleObject, RuleOfKind } from "../uci/cnf-kind.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { ReportedEffects } from "./reported-effects.ts";
import { decidesPackets, packetsOf } from "./rule-packets.ts";
import { isOnCnf, mayBeShadowedBy, type ShadowSearch, shadowedBy, shadowsOver } from "./shadows.ts";

export interface EffectsOptions {
  /** Every rule kind. */
  readonly kinds: readonly CnfKind[];
  readonly scope: CnfScope;
  /** The tunnels reported by CNFs. */
  readonly tunnels: Pick<TunnelLog, "find">;
  /** Reconciles a rule whose effect has changed, but could not be written to its status. */
  readonly trigger: (origin: Origin) => void;
  /** Creates Events when a rule becomes shadowed, and when it is no longer shadowed. Default: no Events. */
  readonly reporter?: EventReporter;
  readonly clock: Clock;
}

type Rule = DeepReadonly<RuleObject>;

/** The effect of a rule as last determined. */
interface Known {
  readonly kind: CnfKind;
  readonly origin: Origin;
  readonly place: Place;
  /** The rules that shadow the rule, identified by namespace and name. */
  readonly shadows: readonly string[];
  readonly condition: ConditionValue;
}

/** Delay between any two rules whose effect changed, because a status is written for each. */
const paceMs = 50;

/**
 * Determines whether the rules in a CNF's configuration have an effect on packets. A rule has no effect if earlier
 * rules already match all of its packets, or if the CNF reports that the rule's interfaces or tunnels are down.
 */
export class Effects {
  readonly #options: EffectsOptions;
  readonly #reports: ReportedEffects;
  readonly #known = new Map<string, Known>();
  /** UIDs of shadowed rules, keyed by the kind, namespace and name of the rule that shadows them. */
  readonly #below = new Map<string, Set<string>>();
  readonly #changed = new Map<string, Origin>();
  readonly #writers = new Map<string, (key: ObjectKey) => Promise<void>>();
  #next: Timer | undefined;

  constructor(options: EffectsOptions) {
    this.#options = options;
    this.#reports = new ReportedEffects(options.tunnels);
  }

  /** Returns the effect of a rule that is in sync with all pods of a CNF. */
  async of(reader: Reader, own: RuleOfKind, cnf: Cnf): Promise<ConditionValue> {
    const { kind, object } = own;
    const place = placeOf(object, cnf);
    const shadows = await shadowsOver(this.#searchWith(reader), own, place);
    const condition = await this.#conditionOf(reader, own, cnf, shadows);
    const { uid = "" } = object.metadata;
    const before = this.#known.get(uid)?.condition ?? effectiveIn(object.status);
    reportShadows(this.#options.reporter ?? silentReporter, object, before, condition);
    this.forget(object);
    const names = shadows.map((shadow) => keyOf(shadow.object));
    this.#known.set(uid, { kind, origin: originOf(own), place, shadows: names, condition });
    for (const name of names) {
      const id = `${kind.kind.kind} ${name}`;
      this.#below.set(id, (this.#below.get(id) ?? new Set()).add(uid));
    }
    return condition;
  }

  /** Sets the function that writes a changed effect of a rule of this kind to its status. */
  writeWith({ kind }: CnfKind, write: (key: ObjectKey) => Promise<void>): void {
    this.#writers.set(kind.kind, write);
  }

  forget({ metadata: { uid = "" } }: Rule): void {
    const known = this.#known.get(uid);
    this.#known.delete(uid);
    for (const name of known?.shadows ?? []) {
      const id = `${known?.kind.kind.kind} ${name}`;
      const below = this.#below.get(id);
      below?.delete(uid);
      if (below?.size === 0) this.#below.delete(id);
    }
  }

  /**
   * Called when a rule, zone or policy has changed in a way that affects which packets reach other rules. Writes the changed effects to the
   * statuses of their rules.
   *
   * @see {@link affectsOthers}
   */
  async changed(reader: Reader, kind: CnfKind, { object }: ObjectEvent<RuleObject>): Promise<void> {
    const rules = decidesPackets(kind.kind) ? [{ kind, object }] : await this.#rulesThatNeed(reader, { kind, object });
    const search = this.#searchWith(reader);
    const uids = new Set<string>();
    for (const rule of rules) {
      const { uid = "", namespace } = rule.object.metadata;
      for (const below of this.#below.get(`${rule.kind.kind.kind} ${keyOf(rule.object)}`) ?? []) uids.add(below);
      const place = this.#known.get(uid)?.place ?? { namespace, purpose: rule.object.metadata.labels?.[purposeLabel] };
      if (!isOnCnf(rule.object)) continue;
      for (const later of await mayBeShadowedBy(search, rule, place)) uids.add(later.object.metadata.uid ?? "");
    }
    for (const uid of uids) {
      const known = this.#known.get(uid);
      if (!known) continue; // its own reconcile will determine its effect
      const rule = await reader.get(known.kind.kind, known.origin.key).catch(ignoreNotFound);
      if (!rule || !isOnCnf(rule)) continue; // a rule that is not in sync has no effect to determine
      const shadows = await shadowsOver(search, { kind: known.kind, object: rule }, known.place);
      if (shadows.map((shadow) => keyOf(shadow.object)).join() !== known.shadows.join()) this.#later(known.origin);
    }
  }

  /** Called when a CNF has reported its status. Writes the changed effects to the statuses of their rules. */
  async reported(reader: Reader, pod: DeepReadonly<Pod>, modules: readonly CnfModule[]): Promise<void> {
    const { kinds, scope } = this.#options;
    const purpose = pod.metadata.labels?.[purposeLabel] ?? "";
    const isWanChanged = this.#reports.note(pod, modules);
    const cnfs = new Map<string | undefined, Cnf | undefined>();
    for (const kind of kinds) {
      if (!(isWanChanged && isOfMwan3(kind)) && !isRemote(kind)) continue;
      for (const object of await reader.list(kind.kind, { fields: { [byPurpose]: purpose } })) {
        const known = this.#known.get(object.metadata.uid ?? "");
        const { namespace } = object.metadata;
        if (!known || (object.status?.state !== State.inSync && !object.status?.stageWait)) continue;
        if (!cnfs.has(namespace))
          cnfs.set(namespace, await findCnf(reader, purpose, { namespace, scope }).catch(() => undefined));
        const cnf = cnfs.get(namespace);
        if (!cnf) continue;
        const shadows = await shadowsOver(this.#searchWith(reader), { kind, object }, known.place);
        const now = await this.#conditionOf(reader, { kind, object }, cnf, shadows);
        if (JSON.stringify(now) !== JSON.stringify(known.condition)) this.#later(known.origin);
      }
    }
  }

  /** Drops the reports of all pods except these. */
  keep(uids: ReadonlySet<string | undefined>): void {
    this.#reports.keep(uids);
  }

  #searchWith(reader: Reader): ShadowSearch {
    const { scope, clock } = this.#options;
    return { reader, scope, share: EventLoopShare.of(clock) };
  }

  async #conditionOf(
    reader: Reader,
    { kind, object }: RuleOfKind,
    { pods }: Cnf,
    shadows: readonly RuleOfKind[],
  ): Promise<ConditionValue> {
    if (shadows.length > 0) return ineffective(Reason.shadowed, shadowedBy(shadows));
    if (packetsOf(kind.kind, object.spec)?.possible.length === 0)
      return ineffective(
        Reason.matchesNothing,
        "No packet matches the rule: its family is ipv6, but its addresses or its translation are for IPv4",
      );
    if (isRemote(kind)) return this.#reports.ofRemote(object, pods);
    if (kind.kind === Mwan3Policy) return this.#reports.ofPolicy(object, pods);
    return kind.kind === Mwan3Rule ? await this.#ofMwan3Rule(reader, object, pods) : notReported;
  }

  /** Returns the effect of an Mwan3Rule: none if its policy has no effect; otherwise unknown, because mwan3 does not report its rules. */
  async #ofMwan3Rule(reader: Reader, { metadata, spec }: Rule, pods: Cnf["pods"]): Promise<ConditionValue> {
    const name = cnfReference(mwan3Policy, spec && "policy" in spec ? String(spec.policy ?? "") : "");
    const key = nameKeyOf(metadata.labels?.[purposeLabel] ?? "", name);
    const policies = await reader.list(Mwan3Policy, { fields: { [byNameOnCnf]: key } });
    const policy = policies.find(({ status }) => status?.state === State.inSync);
    const effect = policy && this.#reports.ofPolicy(policy, pods);
    if (effect?.status !== "False") return notReported;
    return ineffective(Reason.policyIneffective, `Mwan3Policy ${keyOf(policy ?? { metadata })}: ${effect.message}`);
  }

  /** Returns the rules that decide packets only while a zone or policy exists. */
  async #rulesThatNeed(reader: Reader, { kind, object }: RuleOfKind): Promise<readonly RuleOfKind[]> {
    const purpose = object.metadata.labels?.[purposeLabel];
    const type = kind.kind === FirewallZone ? "zone" : kind.kind === Mwan3Policy ? "policy" : undefined;
    if (purpose === undefined || type === undefined) return [];
    const name = kind.nameOnCnf(object.metadata.name);
    const found: RuleOfKind[] = [];
    for (const each of this.#options.kinds.filter((one) => decidesPackets(one.kind) && one.service === kind.service))
      for (const rule of await reader.list(each.kind, { fields: { [byPurpose]: purpose } }))
        if (packetsOf(each.kind, rule.spec)?.needs.some((need) => need.type === type && need.name === name))
          found.push({ kind: each, object: rule });
    return found;
  }

  /** Schedules a write of the effect of a rule. */
  #later(origin: Origin): void {
    this.#changed.set(`${origin.kind} ${origin.key}`, origin);
    this.#next ??= this.#options.clock.after(paceMs, () => this.#writeNext(), { unref: true });
  }

  #writeNext(): void {
    this.#next = undefined;
    const [first] = this.#changed;
    if (!first) return;
    const [id, origin] = first;
    this.#changed.delete(id);
    const write =
      this.#writers.get(origin.kind) ?? (() => Promise.reject(new Error(`${origin.kind} has no controller`)));
    write(origin.key).catch(() => this.#options.trigger(origin)); // a reconcile is repeated until it succeeds
    if (this.#changed.size > 0)
      this.#next = this.#options.clock.after(paceMs, () => this.#writeNext(), { unref: true });
  }
}

/**
 * Returns those properties of a rule, zone or policy that affect which packets reach other rules. Changes to any other
 * properties do not affect other rules.
 */
export function traitsForOthers(kind: CnfKind, object: Rule): readonly unknown[] {
  const { metadata, spec } = object;
  const { uid, labels, annotations } = metadata;
  const packets = packetsOf(kind.kind, spec);
  const zone = kind.kind === FirewallZone ? spec : undefined;
  const isHeld = isOnCnf(object);
  return [uid, labels?.[purposeLabel], annotations?.[orderAnnotation], isHeld, packets, zone];
}

/** Reports whether changes to objects of a kind may affect which packets reach rules of the same kind, or of kinds that refer to it. */
export const affectsOthers = ({ kind }: CnfKind): boolean =>
  decidesPackets(kind) || kind === FirewallZone || kind === Mwan3Policy;

const isRemote = ({ kind }: CnfKind): boolean => kind === IpsecHost || kind === IpsecSite;
const isOfMwan3 = ({ kind }: CnfKind): boolean => kind === Mwan3Policy || kind === Mwan3Rule;

const placeOf = ({ metadata }: Rule, { deployment }: Cnf): Place => ({
  namespace: deployment.metadata.namespace,
  purpose: metadata.labels?.[purposeLabel],
});

const originOf = ({ kind, object }: RuleOfKind): Origin => ({ kind: kind.kind.kind, key: keyOf(object) });
