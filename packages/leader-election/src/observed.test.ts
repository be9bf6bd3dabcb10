import { describe, expect, it } from "vitest";
import { type Observed, observe } from "./observed.ts";
import type { LeaderElectionRecord } from "./resource-lock.ts";

const record: LeaderElectionRecord = {
  holderIdentity: "a",
  leaseDurationSeconds: 15,
  acquireTimeMs: 1,
  renewTimeMs: 2,
  leaderTransitions: 3,
  preferredHolder: "b",
  strategy: "OldestEmulationVersion",
};
const before: Observed = { record, at: 10, isGone: false };

describe("what was observed", () => {
  it("is nothing as long as there is none", () => {
    expect(observe(undefined, undefined, 20)).toBeUndefined();
    expect(observe(undefined, record, 20)).toEqual({ record, at: 20, isGone: false });
  });

  it.each<[keyof LeaderElectionRecord, unknown]>([
    ["holderIdentity", "b"],
    ["leaseDurationSeconds", 16],
    ["acquireTimeMs", 2],
    ["renewTimeMs", 3],
    ["leaderTransitions", 4],
    ["preferredHolder", "c"],
    ["strategy", undefined],
  ])("is a sign of life where another %s was written", (field, value) => {
    const seen = { ...record, [field]: value };
    expect(observe(before, seen, 20)).toEqual({ record: seen, at: 20, isGone: false });
  });

  it("is none where nothing changed, numbers that are none included", () => {
    expect(observe(before, { ...record }, 20)).toBe(before);
    const odd = { ...before, record: { ...record, leaseDurationSeconds: Number.NaN, renewTimeMs: Number.NaN } };
    expect(observe(odd, { ...odd.record }, 20)).toBe(odd);
  });

  it("is its going, once, and its coming back", () => {
    const gone = observe(before, undefined, 20);
    expect(gone).toEqual({ record, at: 20, isGone: true });
    expect(observe(gone, undefined, 30)).toBe(gone);
    expect(observe(gone, { ...record }, 40)).toEqual({ record, at: 40, isGone: false });
  });
});
