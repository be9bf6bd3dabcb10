import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { orderAnnotation } from "../api/group.ts";
import type { RuleStatus } from "../api/status.ts";
import { firewallRule } from "../kinds/firewall-rules.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { orderOf } from "../uci/order.ts";
import { findings } from "./comparison.ts";
import type { DesiredObject } from "./desired-objects.ts";

const path = "firewall/v1/rules";
const rolledBack = "Rolled back: the probe tunnel/a failed. To try again, change the resource";

/** Returns what a rule with the target DROP requires on a CNF. */
function desired(name: string, status: Partial<RuleStatus>, isBeingDeleted = false, order = 0): DesiredObject {
  const rule: RuleObject = {
    apiVersion: `${FirewallRule.group}/${FirewallRule.version}`,
    kind: FirewallRule.kind,
    metadata: {
      ...{ name, namespace: "default", generation: 2, annotations: { [orderAnnotation]: String(order) } },
      ...(isBeingDeleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { target: "DROP" },
    status: { state: "Trying to apply", observedGeneration: 2, ...status },
  };
  const object = isBeingDeleted ? undefined : { name, target: "DROP" };
  const others = { problem: undefined, sentHash: undefined, secrets: ["tunnel/a"] };
  return { kind: firewallRule, rule, name, object, isBeingDeleted, order: orderOf(rule), ...others };
}

const ready = (reason: string, message: string) => ({
  message,
  conditions: [
    { type: "Ready", status: "False" as const, reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" },
  ],
});
const verdicts = (targets: Readonly<Record<string, string>>, of: readonly DesiredObject[], stage?: number) =>
  findings(new Map([[path, Object.entries(targets).map(([name, target]) => ({ name, target }))]]), of, stage).map(
    ({ name, verdict, message }) => [name, verdict, message],
  );

describe("differences after a roll-back", () => {
  const held = ready("RolledBack", rolledBack);
  const reason = "Rolled back: the probe *** failed. To try again, change the resource";

  it("are held, with the reason and what ends the hold", () => {
    const all = [desired("changed", held), desired("new", held), desired("deleted", held, true), desired("same", held)];
    expect(verdicts({ changed: "ACCEPT", deleted: "DROP", same: "DROP" }, all)).toEqual([
      ["changed", "held", `target: "ACCEPT", expected "DROP"; ${reason}`],
      ["new", "held", `missing; ${reason}`],
      ["deleted", "held", `left over; ${reason}`],
      ["same", "same", undefined],
    ]);
  });

  it("do not displace other objects, and include the order", () => {
    const onCnf = { a: "DROP", b: "DROP" };
    expect(verdicts(onCnf, [desired("a", {}, false, 1), desired("b", {}, false, 2)])).toEqual([
      ["a", "same", undefined],
      ["b", "same", undefined],
    ]);
    const all = [desired("a", {}, false, 1), desired("b", { ...held, appliedOrder: 2 }, false, -1)];
    expect(verdicts(onCnf, all)).toEqual([
      ["a", "same", undefined],
      ["b", "held", `order: 2, expected -1; ${reason}`],
    ]);
    expect(verdicts({ b: "DROP", a: "DROP" }, all)).toContainEqual([
      "b",
      "held",
      `position 1 of 2, expected 2; order: 2, expected -1; ${reason}`,
    ]);
  });

  it("are differences again once the resource changes", () => {
    const outdated = desired("changed", { ...held, observedGeneration: 1 });
    expect(verdicts({ changed: "ACCEPT" }, [outdated])).toEqual([
      ["changed", "different", 'target: "ACCEPT", expected "DROP"'],
    ]);
  });
});

describe("differences of a rollout in stages", () => {
  const message = "Waits for stage 0, which must be in sync and effective for 60 s";
  const soaking = { appliedTime: "2026-01-01T00:00:00Z", order: 0 };
  const waiting: Partial<RuleStatus> = {
    ...ready("WaitingForStage", message),
    stages: [
      { stage: 0, generation: 2, ...soaking },
      { stage: 1, generation: 1, ...soaking },
    ],
    stageWait: { stage: 1, forStage: 0, generation: 2 },
  };

  it("wait on the stages that do not have their turn", () => {
    const rule = desired("a", waiting);
    expect(verdicts({ a: "ACCEPT" }, [rule], 1)).toEqual([
      ["a", "waiting", `target: "ACCEPT", expected "DROP"; ${message}`],
    ]);
    expect(verdicts({}, [rule], 2)).toEqual([["a", "waiting", `missing; ${message}`]]);
    expect(verdicts({ a: "ACCEPT" }, [rule], 0)).toEqual([["a", "different", 'target: "ACCEPT", expected "DROP"']]);
    expect(verdicts({ a: "ACCEPT" }, [rule])).toEqual([["a", "different", 'target: "ACCEPT", expected "DROP"']]);
  });

  it("wait in the opposite order for deletions", () => {
    const deleting: Partial<RuleStatus> = {
      ...ready("WaitingForStage", "Waits for stage 1, which must be complete for 60 s"),
      stages: [
        { stage: 0, generation: 1, ...soaking },
        { stage: 1, generation: 0, ...soaking },
      ],
      stageWait: { stage: 0, forStage: 1, generation: 2 },
    };
    const rule = desired("a", deleting, true);
    expect(verdicts({ a: "DROP" }, [rule], 0)).toMatchObject([["a", "waiting", expect.stringContaining("Waits for")]]);
    expect(verdicts({ a: "DROP" }, [rule], 1)).toEqual([["a", "left over", undefined]]);
  });
});
