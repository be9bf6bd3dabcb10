import type { Actions } from "./actions/action.ts";
import { apiActions } from "./actions/api-actions.ts";
import { clusterActions } from "./actions/cluster-actions.ts";
import { cnfActions } from "./actions/cnf-actions.ts";
import { compositeActions } from "./actions/composite-actions.ts";
import { interfaceActions } from "./actions/interface-actions.ts";
import { operatorActions } from "./actions/operator-actions.ts";
import { ruleActions } from "./actions/rule-actions.ts";
import { stageActions } from "./actions/stage-actions.ts";
import { webhookActions } from "./actions/webhook-actions.ts";
import { Dice } from "./dice.ts";

/** All possible actions. */
export const actions: Actions = {
  ...ruleActions,
  ...compositeActions,
  ...interfaceActions,
  ...clusterActions,
  ...cnfActions,
  ...apiActions,
  ...operatorActions,
  ...stageActions,
  ...webhookActions,
};

export const actionNames: readonly string[] = Object.keys(actions);

/** One action, and the time until the next. */
interface Step {
  readonly action: string;
  /** Seed of the action's own choices, so that it does not change if others are removed. */
  readonly seed: number;
  readonly waitMs: number;
}

/** The actions and the world of one run. */
export interface Schedule {
  readonly seed: number;
  readonly cnfNamespaces: "same" | "*";
  readonly replicas: number;
  /** True if changes to CNFs are confirmed with probes. */
  readonly confirms: boolean;
  /** True if the CNFs have stages, so that changes reach them one after another. */
  readonly isStaged: boolean;
  readonly steps: readonly Step[];
}

const waits = [0, 0, 0, 5, 30, 100, 300, 300, 1_000, 1_000, 3_000, 5_000, 20_000, 45_000] as const;
const lot = Object.entries(actions).flatMap(([name, [weight]]) => Array<string>(weight).fill(name));

/** Returns the schedule of a number; the same for the same seed. */
export function scheduleOf(seed: number, number: number): Schedule {
  const dice = new Dice(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const first = [
    "putSeveralRules",
    "putSeveralRules",
    "putOrderedRules",
    "putReferences",
    "putComposite",
    "changeDns",
    "changeDns",
    "putInterface",
  ];
  const count = 15 + dice.below(30);
  const isStaged = new Dice(Math.imul(seed, 0x27d4_eb2f) ^ number).chance(0.4);
  const step = (action: string): Step => ({
    action,
    seed: dice.below(0x7fff_ffff),
    waitMs: dice.one(waits),
  });
  const base = {
    seed: dice.below(0x7fff_ffff),
    cnfNamespaces: dice.chance(0.5) ? ("same" as const) : ("*" as const),
    replicas: dice.chance(0.3) ? 2 : 1,
    isStaged,
    steps: [...first, ...Array.from({ length: count }, () => dice.one(lot) ?? "putRule")].map(step),
  };
  const confirms = dice.chance(0.4);
  return { ...base, confirms, steps: confirms ? withRollBacks(base.steps, first.length, dice) : base.steps };
}

/** Time after which the first set of each CNF is usually confirmed. */
const firstSetMs = 40_000;

/** Adds failing probes to a schedule, before changes of rules, and sometimes a process that ends in the middle of a roll-back. */
function withRollBacks(steps: readonly Step[], countOfFirst: number, dice: Dice): readonly Step[] {
  const step = (action: string, waitMs: number): Step => ({ action, seed: dice.below(0x7fff_ffff), waitMs });
  const changes = ["putRule", "putSeveralRules", "deleteRule", "editInTheMiddle", "orderRule"] as const;
  return steps.flatMap((each, index): Step[] => {
    if (index === countOfFirst - 1) return [{ ...each, waitMs: firstSetMs }];
    if (index < countOfFirst || !dice.chance(0.2)) return [each];
    const cut = [step("cutBranch", 0), step(dice.one(changes), dice.one([500, 3_000, 9_000, 12_000, 30_000]))];
    const ends = dice.chance(0.4) ? [step(dice.one(["kill", "stop"]), dice.one([0, 5_000]))] : [];
    return [...cut, ...ends, each];
  });
}
