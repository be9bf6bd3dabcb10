import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { type RuleStatus, State } from "../api/status.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { Reason } from "../reporting/conditions.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import type { Rule } from "./rule.ts";
import { isOnlyEffect, type RuleResult, RuleStatusWriter, statusPatch } from "./rule-status.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const common = { observedGeneration: 3, lastTransitionTime: "2026-01-02T03:04:05Z" };
const conditions: RuleStatus["conditions"] = [
  { type: "Ready", status: "True", reason: "Applied", message: "", ...common },
  { type: "Reachable", status: "True", reason: "Answers", message: "", ...common },
  { type: "Effective", status: "Unknown", reason: "NotReported", message: "", ...common },
];
const rule: RuleObject = { apiVersion: "v1", kind: "Any", metadata: { name: "a", generation: 3 } };

describe("statusPatch", () => {
  it("contains the applied generation and time, and no message", () => {
    expect(statusPatch(rule, undefined, { state: State.inSync, changed: true }, now)).toEqual({
      state: "In Sync",
      appliedGeneration: 3,
      appliedTime: "2026-01-02T03:04:05Z",
      message: null,
      observedGeneration: 3,
      conditions,
    });
  });

  it("is not written if nothing changed and the generation is current", () => {
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

  it("names the CNF that still has the object, even if the rest is unchanged", () => {
    const result = { state: State.applying, message: "no", reason: Reason.waiting } as const;
    const first = statusPatch(rule, undefined, result, now);
    expect(first).not.toHaveProperty("appliedPurpose");
    const known = first as unknown as RuleStatus;
    expect(statusPatch(rule, known, result, now)).toBeUndefined();
    const patch = statusPatch(rule, known, result, now, "edge");
    expect(patch).toMatchObject({ message: "no", appliedPurpose: "edge" });
    expect(statusPatch(rule, patch as unknown as RuleStatus, result, now, "edge")).toBeUndefined();
  });

  it("names its CNF, and is written again if that changes", () => {
    const labelled = { ...rule, metadata: { ...rule.metadata, labels: { sdewanPurpose: "edge" } } };
    const result = { state: State.inSync, changed: false } as const;
    const first = statusPatch(labelled, undefined, result, now);
    expect(first).toMatchObject({ state: "In Sync", appliedPurpose: "edge" });
    const known = { ...first, message: undefined } as unknown as RuleStatus;
    expect(statusPatch(labelled, known, result, now)).toBeUndefined();
    expect(statusPatch(labelled, { ...known, appliedPurpose: "hub" }, result, now)).toMatchObject({
      appliedPurpose: "edge",
    });
  });

  it("keeps the data of the last success after a failure, and is not repeated", () => {
    const result = { state: State.applying, message: "no", reason: "Refused" } as const;
    const first = statusPatch(rule, { state: "In Sync", appliedGeneration: 3, conditions }, result, now + 1_000);
    const ready = { type: "Ready", status: "False", reason: "Refused", message: "no" };
    expect(first).toEqual({
      state: "Trying to apply",
      message: "no",
      observedGeneration: 3,
      conditions: [
        { ...ready, observedGeneration: 3, lastTransitionTime: "2026-01-02T03:04:06Z" },
        conditions[1],
        { ...conditions[2], reason: "NotApplied" },
      ],
    });
    const current = { appliedGeneration: 3, ...first } as RuleStatus;
    expect(statusPatch(rule, current, result, now + 2_000)).toBeUndefined();
    expect(statusPatch(rule, current, { ...result, message: "still no" }, now + 2_000)).toMatchObject({
      message: "still no",
      conditions: [{ message: "still no", lastTransitionTime: "2026-01-02T03:04:06Z" }, {}, {}],
    });
    const newer = { ...rule, metadata: { ...rule.metadata, generation: 4 } };
    expect(statusPatch(newer, current, result, now + 2_000)).toMatchObject({ observedGeneration: 4 });
  });

  it("is written as a whole, whichever part is new, because the rest of the read status may be outdated", () => {
    const idle = { state: State.idle, message: "no CNF", reason: "NoCnf" } as const;
    const first = statusPatch(rule, undefined, idle, now) as RuleStatus;
    const withoutConditions: RuleStatus = { ...first, conditions: [] };
    expect(statusPatch(rule, withoutConditions, idle, now)).toEqual(first);
    const otherwise: RuleStatus = { ...first, state: "In Sync", message: "" };
    expect(statusPatch(rule, otherwise, idle, now)).toEqual(first);

    const applied = { state: State.inSync, changed: false } as const;
    const known = {
      state: "In Sync",
      appliedGeneration: 3,
      appliedTime: "2026-01-01T00:00:00Z",
      appliedPurpose: "edge",
    };
    const labelled = { ...rule, metadata: { ...rule.metadata, labels: { sdewanPurpose: "edge" } } };
    const whole = { ...known, message: null, observedGeneration: 3, conditions };
    expect(statusPatch(labelled, { ...known, observedGeneration: 3 }, applied, now)).toEqual(whole);
    expect(statusPatch(labelled, { ...known, message: "" }, applied, now)).toEqual(whole);
  });
});

describe("isOnlyEffect", () => {
  const before = { state: "In Sync", conditions };
  const effective = { status: "False", reason: Reason.shadowed, message: "by b" } as const;

  it("distinguishes a changed effect from any other change", () => {
    const result = { state: State.inSync, changed: false, effective } as const;
    expect(isOnlyEffect(before, result)).toBe(true);
    expect(isOnlyEffect(before, { ...result, changed: true })).toBe(false);
    expect(isOnlyEffect({ ...before, state: "Trying to apply" }, result)).toBe(false);
    expect(isOnlyEffect(before, { ...result, effective: { ...effective, status: "Unknown", message: "" } })).toBe(
      false,
    );
    expect(isOnlyEffect(before, { state: State.idle, message: "", reason: Reason.noCnf })).toBe(false);
  });
});

describe("RuleStatusWriter", () => {
  const idle: RuleResult = { state: State.idle, message: "no CNF", reason: "NoCnf" };
  const applied: RuleResult = { state: State.inSync, changed: true };

  function start() {
    const cluster = new FakeCluster();
    const kind = ruleKinds.find((each) => each.kind.kind === "FirewallRule") as CnfKind;
    const writer = new RuleStatusWriter(kind, new FakeClock(now));
    const stored = (): Rule => cluster.peek(FirewallRule, "default/a") as Rule;
    const say = (result: RuleResult) => writer.write(cluster.client, stored(), result);
    const contradicts = (old: Rule) => writer.contradicts({ type: "update", object: stored(), old } as never);
    cluster.put(FirewallRule, { metadata: { name: "a", namespace: "default" }, spec: {} });
    /** Another process writes the status. */
    const another = (status: object) => cluster.client.status.patch(FirewallRule, "default/a", status);
    return { writer, stored, say, contradicts, another };
  }

  it("notices the status of another writer after it found nothing to write", async () => {
    const { stored, say, contradicts, another } = start();
    const before = stored();
    await another({ state: "In Sync" });
    expect(contradicts(before)).toBe(false);
    await say(idle);
    const written = stored();
    await another({ state: "In Sync", message: null });
    expect(contradicts(written)).toBe(true);
    const old = stored();
    await another({ appliedTime: "2026-01-02T00:00:00Z" });
    expect(contradicts(old)).toBe(false);
  });

  it("reports whether a write was necessary, and uses its own status before a cache has it", async () => {
    const { writer, stored, say } = start();
    const before = stored();
    expect([await say(idle), await say(idle)]).toEqual([true, false]);
    expect(writer.current(before)).toEqual(stored().status);
    const newer = { ...stored(), status: { state: "In Sync" } };
    expect(writer.current(newer)).toEqual({ state: "In Sync" });
    const { resourceVersion: _version, ...metadata } = before.metadata;
    expect(writer.current({ ...before, metadata })).toBeUndefined();
  });

  it("notices a different Ready condition, and a message", async () => {
    const { stored, say, contradicts, another } = start();
    await say(applied);
    const written = stored();
    const [ready, ...others] = written.status?.conditions ?? [];
    await another({ conditions: [{ ...ready, status: "False" }, ...others] });
    expect(contradicts(written)).toBe(true);
    await say(applied);
    const again = stored();
    await another({ message: "?" });
    expect(contradicts(again)).toBe(true);
  });

  it("ignores its own writes and earlier ones", async () => {
    const { writer, stored, say, contradicts } = start();
    const first = stored();
    await say(idle);
    const second = stored();
    expect(contradicts(first)).toBe(false);
    await say(applied);
    expect(contradicts(second)).toBe(false);
    // The event of the first write arrives after the second write.
    expect(writer.contradicts({ type: "update", object: second, old: first } as never)).toBe(false);
    expect(writer.contradicts({ type: "create", object: first } as never)).toBe(false);
  });

  it("has no data about objects that it dropped", async () => {
    const { writer, stored, say, contradicts, another } = start();
    await say(idle);
    writer.forget(stored());
    const written = stored();
    await another({ state: "In Sync" });
    expect(contradicts(written)).toBe(false);
  });
});
