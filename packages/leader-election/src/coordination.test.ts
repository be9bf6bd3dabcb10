import { expect, it } from "vitest";
import { isNamed } from "./coordination.ts";
import type { Observed } from "./observed.ts";

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
