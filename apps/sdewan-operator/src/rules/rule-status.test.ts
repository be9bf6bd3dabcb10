import { describe, expect, it } from "vitest";
import { State } from "../api/status.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { statusPatch } from "./rule-status.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const rule: RuleObject = { apiVersion: "v1", kind: "Any", metadata: { name: "a", generation: 3 } };

describe("statusPatch", () => {
  it("says what was applied and when, and takes the message away", () => {
    expect(statusPatch(rule, undefined, { state: State.inSync, changed: true }, now)).toEqual({
      state: "In Sync",
      appliedGeneration: 3,
      appliedTime: "2026-01-02T03:04:05Z",
      message: null,
    });
  });

  it("is nothing when nothing changed and that is known for this generation", () => {
    const known = { state: "In Sync", appliedGeneration: 3 };
    expect(statusPatch(rule, known, { state: State.inSync, changed: false }, now)).toBeUndefined();
    expect(statusPatch(rule, known, { state: State.inSync, changed: true }, now)).toBeDefined();
    const older = { state: "In Sync", appliedGeneration: 2 };
    expect(statusPatch(rule, older, { state: State.inSync, changed: false }, now)).toMatchObject({
      appliedGeneration: 3,
    });
    const failed = { state: "Trying to apply", appliedGeneration: 3, message: "no" };
    expect(statusPatch(rule, failed, { state: State.inSync, changed: false }, now)).toMatchObject({ state: "In Sync" });
  });

  it("leaves the last success alone when something fails, and does not repeat itself", () => {
    const verdict = { state: State.applying, message: "no" } as const;
    expect(statusPatch(rule, { state: "In Sync", appliedGeneration: 3 }, verdict, now)).toEqual(verdict);
    expect(statusPatch(rule, verdict, verdict, now)).toBeUndefined();
  });
});
