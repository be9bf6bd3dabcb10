import { byKey, type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { PanelText } from "@kubewright/console";
import { purposeLabel } from "../api/group.ts";
import { State } from "../api/status.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { effectiveIn, ineffectiveMessage, Reason } from "../reporting/conditions.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { urgency } from "./cell.ts";

type Rule = DeepReadonly<RuleObject>;

/** A resource in a list, with the ID and name of its row. */
export interface ListedRule {
  readonly kind: CnfKind;
  readonly rule: Rule;
  /** ID of the row, such as `FirewallRule/default/web`. */
  readonly id: string;
  /** Name of the row, such as `default/web`. */
  readonly name: string;
}

export interface RuleSearch {
  /** Purpose of the CNF. Default: all CNFs. */
  readonly purpose?: string;
  readonly matches: (rule: Rule, kind: CnfKind) => boolean;
  /** Kinds to search. Default: all rule kinds. */
  readonly kinds?: ReadonlySet<CnfKind["kind"]>;
  readonly limit: number;
}

const tones: Readonly<Record<string, NonNullable<PanelText["tone"]>>> = {
  [State.inSync]: "good",
  [State.applying]: "warning",
  [State.deleting]: "warning",
  [State.unknown]: "bad",
  [State.idle]: "neutral",
};

const toneOf = ({ status }: Rule): NonNullable<PanelText["tone"]> => tones[status?.state ?? ""] ?? "neutral";

export const stateCell = (rule: Rule): PanelText => ({
  text: rule.status?.state ?? "not reconciled yet",
  tone: toneOf(rule),
});

const effects: Readonly<Record<string, PanelText>> = {
  True: { text: "yes", tone: "good" },
  False: { text: "no", tone: "warning" },
};

/** Returns a cell that shows whether a resource has an effect on packets. */
export const effectCell = ({ status }: Rule): PanelText =>
  effects[effectiveIn(status)?.status ?? ""] ?? { text: "not known", tone: "neutral" };

/** Reports whether a resource is on a CNF but has no effect. */
export const isIneffective = ({ status }: Rule): boolean =>
  status?.state === State.inSync && effectiveIn(status)?.status === "False";

/** Returns the reason why a resource is not in sync or has no effect. */
export const reasonOf = ({ status }: Rule): string => status?.message || ineffectiveMessage(status);
/**
 * Reports whether a resource needs attention because it is not in force for a known reason. A resource without a reason
 * is still being applied, and a paused one is deliberately not in force.
 */
export const isNotInForce = ({ status }: Rule): boolean =>
  status !== undefined &&
  status.state !== State.inSync &&
  Boolean(status.message) &&
  !status.conditions?.some(({ reason }) => reason === Reason.paused);

export const purposeOf = ({ metadata }: Rule): string => metadata.labels?.[purposeLabel] ?? "";

/** Returns the resources of all rule kinds in a cache, those that have not taken effect first. */
export async function foundRules(
  reader: Reader,
  { purpose, matches, kinds: shown, limit }: RuleSearch,
): Promise<{ readonly rules: readonly ListedRule[]; readonly total: number }> {
  const found: { readonly kind: CnfKind; readonly rule: Rule; readonly rank: number }[] = [];
  const kinds: readonly CnfKind[] = ruleKinds;
  for (const kind of kinds) {
    if (shown && !shown.has(kind.kind)) continue;
    const rules = await reader.list(kind.kind, purpose === undefined ? {} : { fields: { [byPurpose]: purpose } });
    const desired = rules.filter((rule) => matches(rule, kind)).sort(byKey);
    for (const rule of desired)
      found.push({ kind, rule, rank: isIneffective(rule) ? urgency.warning : urgency[toneOf(rule)] });
  }
  found.sort((a, b) => a.rank - b.rank);
  const rules = found.slice(0, limit).map(({ kind, rule }) => {
    const name = keyOf(rule);
    return { kind, rule, id: `${kind.kind.kind}/${name}`, name };
  });
  return { rules, total: found.length };
}
