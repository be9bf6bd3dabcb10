import { expect, it } from "vitest";
import {
  conditionsOf,
  inForce,
  isUnreachable,
  notReady,
  Reason,
  readyReason,
  responding,
  unreachable,
} from "./conditions.ts";

const now = Date.UTC(2026, 0, 2);

it("sets both conditions, and keeps the last state of a CNF that was not queried", () => {
  const { status } = conditionsOf(2, undefined, { ready: inForce, reachable: responding }, now);
  expect(status.conditions?.map(({ type, status: is }) => [type, is])).toEqual([
    ["Ready", "True"],
    ["Reachable", "True"],
  ]);
  const { status: later } = conditionsOf(2, status, { ready: notReady(Reason.waiting, "not yet") }, now + 1_000);
  expect(later.conditions?.[1]).toEqual(status.conditions?.[1]);
  expect(later.conditions?.[0]).toMatchObject({ status: "False", message: "not yet" });
});

it("reports whether the status already has these conditions for this generation", () => {
  const health = { ready: inForce, reachable: responding };
  const { status, isUpToDate } = conditionsOf(2, undefined, health, now);
  expect(isUpToDate).toBe(false);
  expect(conditionsOf(2, status, health, now + 1_000)).toEqual({ status, isUpToDate: true });
  expect(conditionsOf(3, status, health, now).isUpToDate).toBe(false);
  expect(conditionsOf(2, status, { ready: notReady(Reason.waiting, "") }, now).isUpToDate).toBe(false);
  expect(conditionsOf(2, { ...status, observedGeneration: 1 }, health, now).isUpToDate).toBe(false);
});

it("derives from conditions why an object is not ready, and that its CNF does not respond", () => {
  const { status } = conditionsOf(1, undefined, { ready: notReady(Reason.refused, "no"), reachable: responding }, now);
  expect([readyReason(status), isUnreachable(status)]).toEqual(["Refused", false]);
  const silent = conditionsOf(1, status, { ready: inForce, reachable: unreachable("no answer") }, now);
  expect([readyReason(silent.status), isUnreachable(silent.status)]).toEqual(["Applied", true]);
  expect([readyReason(undefined), isUnreachable(undefined), isUnreachable({})]).toEqual([undefined, false, false]);
});
