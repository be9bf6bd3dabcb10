import { byKey, type DeepReadonly, type DefinedKind, type KubeObject } from "@kubewright/apimachinery";
import { type Clock, EventLoopShare } from "@kubewright/clock";
import { CNFService } from "../api/composite/cnf-service.ts";
import { purposeLabel } from "../api/group.ts";
import { type CnfScope, ownNamespace } from "../cnf/cnf-scope.ts";
import type { Place } from "../cnf/discovery.ts";
import { cnfNat } from "../kinds/cnf-nat.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind, RuleOfKind } from "../uci/cnf-kind.ts";
import type { Warnings } from "../webhooks/bucket-permission.ts";
import { decidesPackets } from "./rule-packets.ts";
import {
  decidesAll,
  isOnCnf,
  mayBeShadowedBy,
  namesOf,
  type ShadowSearch,
  shadowedBy,
  shadowsOver,
} from "./shadows.ts";

export interface AdmissionWarningsOptions {
  readonly scope: CnfScope;
  readonly clock: Clock;
}

/** Maximum time for all warnings of a request. */
const timeoutMs = 1_000;
/** Maximum length of a warning. API servers may cut longer ones. */
const maxLength = 250;

/**
 * Returns a function that warns if a rule will be shadowed by earlier rules, or will itself shadow other rules. There
 * are no warnings if the result is unknown, or if the search fails or takes too long, because warnings must not delay
 * or prevent a write.
 */
export function admissionWarnings({ scope, clock }: AdmissionWarningsOptions): Warnings {
  return async (reader, kind, object) => {
    const rule = ruleOf(kind, object);
    const purpose = object.metadata.labels?.[purposeLabel];
    if (!rule || purpose === undefined) return [];
    // In other scopes, the operator configures at most one CNF of a purpose.
    const namespace = scope.text === ownNamespace.text ? object.metadata.namespace : undefined;
    const end = new AbortController();
    const late = clock.sleep(timeoutMs, end.signal).then((): readonly string[] => []);
    try {
      return await Promise.race([
        warningsFor({ reader, scope, share: EventLoopShare.of(clock) }, rule, { namespace, purpose }),
        late,
      ]);
    } catch {
      return [];
    } finally {
      end.abort();
    }
  };
}

async function warningsFor(search: ShadowSearch, rule: RuleOfKind, place: Place): Promise<readonly string[]> {
  const over = await shadowsOver(search, rule, place);
  const under = await shadowedOnceWritten(search, rule, place);
  const warnings: string[] = [];
  if (over.length > 0) warnings.push(`the rule has no effect: ${shadowedBy(over)}`);
  if (under.length > 0)
    warnings.push(`the rule leaves no packets for rules that come after it on the CNF: ${namesOf(under)}`);
  return warnings.map((warning) => (warning.length > maxLength ? `${warning.slice(0, maxLength - 3)}...` : warning));
}

/** Returns the rules that a rule will shadow as soon as the CNF has it. */
async function shadowedOnceWritten(
  search: ShadowSearch,
  rule: RuleOfKind,
  place: Place,
): Promise<readonly RuleOfKind[]> {
  const shadowed: RuleOfKind[] = [];
  for (const later of await mayBeShadowedBy(search, rule, place))
    if (isOnCnf(later.object) && (await decidesAll(search, rule, place, later))) shadowed.push(later);
  return shadowed.toSorted((a, b) => byKey(a.object, b.object));
}

/** Returns the rule that a user writes, or that the operator will create for the object. */
function ruleOf(kind: DefinedKind, object: DeepReadonly<KubeObject>): RuleOfKind | undefined {
  const { metadata } = object;
  const rule = { ...object, status: { state: "" } };
  const kinds: readonly CnfKind[] = ruleKinds;
  const found = kinds.find((each) => each.kind === kind);
  if (found) return decidesPackets(kind) ? { kind: found, object: rule } : undefined;
  if (kind !== CNFService) return undefined; // other composites depend on the addresses of host names
  const port = "spec" in object && typeof object.spec === "object" ? portIn({ ...object.spec }) : "";
  if (port === "") return undefined;
  const child = { ...metadata, name: `${metadata.name}nat` };
  const spec = { src_dport: port, dest_ip: "192.0.2.1", index: "2", proto: "tcp", target: "DNAT" };
  return { kind: cnfNat, object: { ...rule, metadata: child, spec } };
}

const portIn = ({ port }: Readonly<Record<string, unknown>>): string => (typeof port === "string" ? port.trim() : "");
