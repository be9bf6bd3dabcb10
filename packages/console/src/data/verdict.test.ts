import type { ControllerInspection, QueueRow } from "@kubewright/controller";
import { expect, it } from "vitest";
import { type VerdictParts, verdictOf } from "./verdict.ts";

// The usual verdicts are brought about by running programs in verdicts.test.ts.
const nowMs = Date.parse("2026-11-27T19:00:00Z");
const state: ControllerInspection = {
  ...{ queueLength: 0, running: 0, held: 0, failing: 0, gaveUp: 0, paused: 0, hung: 0, unsynced: [] },
  ...{
    hasStarted: true,
    hasSynced: true,
    isHandling: false,
    isSharded: false,
    maxConcurrentReconciles: 1,
    hungAfterMs: 30_000,
  },
  totals: { reconciles: 9, errors: 0, busyMs: 9 },
};
const parts: VerdictParts = {
  ...{ key: "a/b", kind: "Site.example.com", nowMs, state, isUnserved: false, leader: undefined, shard: undefined },
  ...{ cached: { state: "present", resourceVersion: "7", finalizers: [] }, maySeeBlocking: true },
};
const text = (changed: Partial<VerdictParts>, more: Partial<ControllerInspection> = {}) => {
  const verdict = verdictOf({ ...parts, ...changed, state: { ...state, ...more } });
  return `${verdict.tone}: ${verdict.text}`;
};
const row = (one: Partial<QueueRow>) => ({
  queue: {
    rows: [{ key: "a/b", state: "running", causes: [], requeues: 0, ...one } as const],
    total: 1,
    isWhole: true,
  },
});
const last = { about: { last: { atMs: nowMs - 12_000, result: "success", resourceVersion: "5" } } } as const;

it("distinguishes long reconciles from hung ones", () => {
  expect(text({}, row({ forMs: 30_000 }))).toBe("good: Its reconcile has been running for 30 s");
  expect(text({}, { ...row({ forMs: 45_000 }), p99Ms: 40 })).toBe(
    "bad: Hangs: its reconcile has been running for 45 s: 99% of reconciles take less than 40 ms",
  );
});

it("names own writes and other objects that a request waits for, if the viewer may see them", () => {
  const unseen = ["Secret a/b-copy"];
  expect(text({}, row({ state: "held", unseen }))).toBe(
    "warning: Waiting until the cache shows its own writes: Secret a/b-copy",
  );
  const about = { blockedBy: { key: "c/slow", forMs: 45_000 } };
  const waits = { ...row({ state: "ready", forMs: 3_000 }), about };
  expect(text({}, waits)).toBe("warning: Waiting behind c/slow, which has been running for 45 s");
  expect(text({ maySeeBlocking: false }, waits)).toContain("behind another object,");
  expect(text({}, row({ state: "ready", forMs: 3_000 }))).toBe("neutral: Waiting for 3.0 s");
});

it("mentions the deletion of a failing object, and hides secrets in its error", () => {
  const failure = {
    error: "token=x no",
    times: 7,
    sinceMs: nowMs - 180_000,
    lastMs: nowMs - 100,
    isTerminal: false,
    causes: [],
  };
  const cached = {
    state: "present",
    resourceVersion: "7",
    finalizers: ["a.b/c"],
    deletionTimestamp: "2026-11-27T18:55:00Z",
  } as const;
  expect(text({ cached }, row({ state: "failing", forMs: 20_000, failure }))).toBe(
    "bad: Failed 7 times in 3 min, retried in 20 s: token=(hidden) no. Deleting for 5 min, waiting for the finalizer a.b/c",
  );
});

it("names what a controller waits for before it reconciles anything", () => {
  expect(text({}, { hasStarted: false })).toBe("warning: The controller has not started");
  expect(text({}, { unsynced: ["kind source: Pod"] })).toBe(
    "bad: The controller reconciles nothing yet, because it is waiting for kind source: Pod",
  );
  expect(text({ leader: "" })).toBe("neutral: Owned by another replica: the next leader; currently, there is none");
});

it("names the replica that works on the object's shard, or what the shard waits for", () => {
  const shard = { shard: 3, holder: "shop-7f9c", state: "elsewhere", running: 0, transitions: 1 } as const;
  expect(text({ shard }, last)).toBe("neutral: Owned by another replica: shop-7f9c holds its shard 3");
  expect(text({ shard: { ...shard, state: "held" } }, last)).toBe("good: Reconciled at resource version 5 12 s ago");
  const releasing = { ...shard, state: "releasing", forMs: 3_000, next: "shop-b" } as const;
  expect(text({ shard: releasing })).toBe("warning: Not reconciled: its shard 3 has been moving to shop-b for 3.0 s");
  expect(text({ shard: { ...releasing, running: 2 } }, last)).toBe(
    "warning: Not reconciled: its shard 3 has been moving to shop-b for 3.0 s, and waits for 2 reconciles",
  );
  expect(text({ shard: releasing }, row({ forMs: 9_000 }))).toBe("good: Its reconcile has been running for 9.0 s");
  expect(text({ shard: releasing }, row({ state: "ready", forMs: 9_000 }))).toContain("moving to shop-b");
  expect(text({ shard: { ...shard, state: "acquiring", forMs: 200 } })).toBe(
    "warning: Not reconciled yet: this replica has been acquiring its shard 3 for 200 ms",
  );
  expect(text({ shard: { ...shard, state: "free", forMs: 12_000 } })).toBe(
    "warning: Not reconciled: no replica has held its shard 3 for 12 s",
  );
  expect(text({ shard, cached: { state: "outside", namespaces: ["b"] } })).toContain("The namespace a is not cached");
});

it("contains only what is known about objects that are not in the queue", () => {
  expect(text({}, last)).toBe("good: Reconciled at resource version 5 12 s ago");
  expect(text({})).toBe("neutral: Exists, but has not been reconciled since the program started");
  expect(text({ cached: { state: "absent", hasSelector: true } }, last)).toBe(
    "neutral: Does not exist, or does not match the cache's selector; last reconciled at resource version 5 12 s ago",
  );
  expect(text({ cached: { state: "absent", hasSelector: false } }, last)).toBe(
    "neutral: Deleted; last reconciled at resource version 5 12 s ago",
  );
  expect(text({ cached: { state: "unknown" } })).toBe(
    "neutral: The object has not been reconciled since the program started. Its kind is not cached.",
  );
  expect(text({ cached: { state: "unsynced" } })).toContain("Its kind's cache has not synced.");
});

it("claims nothing that is not known", () => {
  const absent = { cached: { state: "absent", hasSelector: false } } as const;
  const failed = { about: { last: { atMs: nowMs - 12_000, result: "error" } } } as const;
  expect(text({}, failed)).toBe("bad: Failed 12 s ago");
  expect(text({}, { ...row({ state: "delayed", forMs: 5_000 }), ...failed })).toBe(
    "neutral: Due in 5.0 s; failed 12 s ago",
  );
  expect(text(absent, failed)).toBe("neutral: Does not exist; last failed 12 s ago");
  expect(text(absent)).toBe("neutral: Does not exist; has not been reconciled since the program started");
  const forgotten = "has not been reconciled recently (older reconciles are not recorded)";
  expect(text({}, { about: { isIncomplete: true } })).toBe(`neutral: Exists, but ${forgotten}`);
  expect(text(absent, { about: { isIncomplete: true } })).toBe(`neutral: Does not exist; ${forgotten}`);
  expect(text({}, { ...last, queue: { rows: [], total: 0, isWhole: false } })).toBe(
    "neutral: Unknown: the queue contains too many requests to find this one",
  );
  expect(text({}, row({ forMs: 3_000, pausedBy: "ann" }))).toBe(
    "good: Its reconcile has been running for 3.0 s, then paused by ann",
  );
});
