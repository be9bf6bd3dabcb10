import { describe, expect, it } from "vitest";
import { type RuleStatus, State } from "../api/status.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { statusPatch } from "./rule-status.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const said = { observedGeneration: 3, lastTransitionTime: "2026-01-02T03:04:05Z" };
const conditions: RuleStatus["conditions"] = [
  { type: "Ready", status: "True", reason: "Applied", message: "", ...said },
  { type: "Reachable", status: "True", reason: "Answers", message: "", ...said },
];
const rule: RuleObject = { apiVersion: "v1", kind: "Any", metadata: { name: "a", generation: 3 } };

describe("statusPatch", () => {
  it("says what was applied and when, and takes the message away", () => {
    expect(statusPatch(rule, undefined, { state: State.inSync, changed: true }, now)).toEqual({
      state: "In Sync",
      appliedGeneration: 3,
      appliedTime: "2026-01-02T03:04:05Z",
      message: null,
      observedGeneration: 3,
      conditions,
    });
  });

  it("is nothing when nothing changed and that is known for this generation", () => {
    const known = { state: "In Sync", appliedGeneration: 3, observedGeneration: 3, conditions };
    expect(statusPatch(rule, known, { state: State.inSync, changed: false }, now)).toBeUndefined();
    expect(statusPatch(rule, known, { state: State.inSync, changed: true }, now)).toBeDefined();
    const older = { state: "In Sync", appliedGeneration: 2 };
    expect(statusPatch(rule, older, { state: State.inSync, changed: false }, now)).toMatchObject({
      appliedGeneration: 3,
    });
    const failed = { state: "Trying to apply", appliedGeneration: 3, message: "no" };
    expect(statusPatch(rule, failed, { state: State.inSync, changed: false }, now)).toMatchObject({ state: "In Sync" });
  });

  it("says of which CNF it speaks, and again when that is another one", () => {
    const labelled = { ...rule, metadata: { ...rule.metadata, labels: { sdewanPurpose: "edge" } } };
    const verdict = { state: State.inSync, changed: false } as const;
    const first = statusPatch(labelled, undefined, verdict, now);
    expect(first).toMatchObject({ state: "In Sync", appliedPurpose: "edge" });
    const known = { ...first, message: undefined } as unknown as RuleStatus;
    expect(statusPatch(labelled, known, verdict, now)).toBeUndefined();
    expect(statusPatch(labelled, { ...known, appliedPurpose: "hub" }, verdict, now)).toMatchObject({
      appliedPurpose: "edge",
    });
  });

  it("leaves the last success alone when something fails, and does not repeat itself", () => {
    const verdict = { state: State.applying, message: "no", reason: "Refused" } as const;
    const first = statusPatch(rule, { state: "In Sync", appliedGeneration: 3, conditions }, verdict, now + 1_000);
    const ready = { type: "Ready", status: "False", reason: "Refused", message: "no" };
    expect(first).toEqual({
      state: "Trying to apply",
      message: "no",
      observedGeneration: 3,
      conditions: [{ ...ready, observedGeneration: 3, lastTransitionTime: "2026-01-02T03:04:06Z" }, conditions[1]],
    });
    const current = { appliedGeneration: 3, ...first } as RuleStatus;
    expect(statusPatch(rule, current, verdict, now + 2_000)).toBeUndefined();
    expect(statusPatch(rule, current, { ...verdict, message: "still no" }, now + 2_000)).toMatchObject({
      message: "still no",
      conditions: [{ message: "still no", lastTransitionTime: "2026-01-02T03:04:06Z" }, {}],
    });
    const newer = { ...rule, metadata: { ...rule.metadata, generation: 4 } };
    expect(statusPatch(newer, current, verdict, now + 2_000)).toMatchObject({ observedGeneration: 4 });
  });
});
