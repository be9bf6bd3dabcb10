import { describe, expect, it } from "vitest";
import { isNamed, type LeaderElectionRecord, type Observed, observe } from "./resource-lock.ts";

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

describe("an observation", () => {
  it("is undefined while there is no record", () => {
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
  ])("is updated if another %s was written", (field, value) => {
    const seen = { ...record, [field]: value };
    expect(observe(before, seen, 20)).toEqual({ record: seen, at: 20, isGone: false });
  });

  it("is unchanged if nothing changed, including NaN", () => {
    expect(observe(before, { ...record }, 20)).toBe(before);
    const odd = { ...before, record: { ...record, leaseDurationSeconds: Number.NaN, renewTimeMs: Number.NaN } };
    expect(observe(odd, { ...odd.record }, 20)).toBe(odd);
  });

  it("records a deletion once, and a recreation", () => {
    const gone = observe(before, undefined, 20);
    expect(gone).toEqual({ record, at: 20, isGone: true });
    expect(observe(gone, undefined, 30)).toBe(gone);
    expect(observe(gone, { ...record }, 40)).toEqual({ record, at: 40, isGone: false });
  });
});

const observed = (record: Partial<Observed["record"]> = {}, isGone = false): Observed => ({
  at: 1_000,
  isGone,
  record: {
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTimeMs: 0,
    renewTimeMs: 0,
    leaderTransitions: 0,
    ...record,
  },
});

it.each<[what: string, is: boolean, seen: Observed | undefined, now: number]>([
  ["is named by a valid lease", true, observed(), 16_000],
  ["is not named once the lease has expired", false, observed(), 16_001],
  ["is not named by a lease that prefers another", false, observed({ preferredHolder: "b" }), 1_000],
  ["is not named by another's lease", false, observed({ holderIdentity: "b" }), 1_000],
  ["is not named by a deleted lease", false, observed({}, true), 1_000],
  ["is not named if there is no lease", false, undefined, 1_000],
])("a candidate %s", (_, is, seen, now) => {
  expect(isNamed("a", seen, now)).toBe(is);
});
