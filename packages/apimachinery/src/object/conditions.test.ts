import { describe, expect, it } from "vitest";
import { type Condition, findCondition, isConditionTrue, removeCondition, setCondition } from "./conditions.ts";

const early = "2024-01-01T00:00:00Z";
const late = "2024-01-02T00:00:00Z";

describe("conditions", () => {
  it("change their time only when their status changes", () => {
    const conditions: Condition[] = [];
    expect(setCondition(conditions, { type: "Ready", status: "False", reason: "A", message: "" }, early)).toBe(true);
    expect(setCondition(conditions, { type: "Ready", status: "False", reason: "B", message: "m" }, late)).toBe(true);
    expect(findCondition(conditions, "Ready")).toEqual({
      type: "Ready",
      status: "False",
      reason: "B",
      message: "m",
      lastTransitionTime: early,
    });
    expect(setCondition(conditions, { type: "Ready", status: "False", reason: "B", message: "m" }, late)).toBe(false);
    setCondition(conditions, { type: "Ready", status: "True", reason: "B", message: "m", observedGeneration: 2 }, late);
    expect(findCondition(conditions, "Ready")?.lastTransitionTime).toBe(late);
    expect(isConditionTrue(conditions, "Ready")).toBe(true);
  });

  it("lose an observed generation that is no longer set", () => {
    const conditions: Condition[] = [];
    setCondition(conditions, { type: "Ready", status: "True", reason: "A", message: "", observedGeneration: 1 }, early);
    expect(setCondition(conditions, { type: "Ready", status: "True", reason: "A", message: "" }, late)).toBe(true);
    expect(conditions).toEqual([
      { type: "Ready", status: "True", reason: "A", message: "", lastTransitionTime: early },
    ]);
  });

  it("are replaced, so that a copy of a list from the cache can be changed", () => {
    const ready = { type: "Ready", status: "False", reason: "A", message: "", lastTransitionTime: early } as const;
    const cached: readonly Condition[] = [Object.freeze({ ...ready })];
    const conditions = [...cached];
    const next = { type: "Ready", status: "True", reason: "B", message: "m", observedGeneration: 2 } as const;
    expect(setCondition(conditions, next, late)).toBe(true);
    expect(cached).toEqual([ready]);
    expect(conditions).toEqual([{ ...next, lastTransitionTime: late }]);
  });

  it("keep fields that belong to other types", () => {
    const lastUpdateTime = early;
    const stored = { type: "Ready", status: "True", reason: "A", message: "", lastTransitionTime: early } as const;
    const conditions = [{ ...stored, lastUpdateTime }];
    setCondition(conditions, { ...stored, reason: "B" }, late);
    expect(conditions).toEqual([{ ...stored, reason: "B", lastUpdateTime }]);
  });

  it("can be removed, and are not true when absent", () => {
    const conditions: Condition[] = [{ type: "A", status: "True", reason: "", message: "", lastTransitionTime: early }];
    expect(removeCondition(conditions, "A")).toBe(true);
    expect(removeCondition(conditions, "A")).toBe(false);
    expect(isConditionTrue(conditions, "A")).toBe(false);
    expect(isConditionTrue(undefined, "A")).toBe(false);
  });
});
