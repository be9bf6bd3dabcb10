import type { Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { checkDeletePreconditions, type DeleteOptions, decideDeletion, isFreedByUpdate } from "./deletion.ts";
import type { KindStrategy } from "./strategy.ts";
import { thingResource as resource } from "./testing/thing-resource.ts";

const context = { user: { name: "u", groups: [] }, nowMs: 0, namespace: "n", dryRun: false };
const object = (metadata: Partial<Unstructured["metadata"]> = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", ...metadata },
});
const decide = (current: Unstructured, options: Partial<DeleteOptions> = {}, strategy: KindStrategy = {}) =>
  decideDeletion(resource(strategy), current, { dryRun: false, ...options }, context);
const finalizersAfter = (decision: ReturnType<typeof decide>) =>
  decision.type === "update" ? decision.object.metadata.finalizers : decision.type;

describe("decideDeletion", () => {
  it("removes an object that nothing holds", () => {
    expect(decide(object())).toEqual({ type: "remove" });
  });

  it("marks an object with finalizers once", () => {
    const held = object({ finalizers: ["example.com/x"], generation: 1 });
    const decision = decide(held);
    expect(decision).toMatchObject({
      type: "update",
      object: { metadata: { deletionTimestamp: "1970-01-01T00:00:00Z", deletionGracePeriodSeconds: 0, generation: 2 } },
    });
    if (decision.type !== "update") throw new Error("not marked");
    expect(decide(decision.object)).toEqual({ type: "pending" });
  });

  it("adds and removes the finalizers of the propagation policy", () => {
    expect(finalizersAfter(decide(object(), { propagationPolicy: "Foreground" }))).toEqual(["foregroundDeletion"]);
    expect(finalizersAfter(decide(object(), { orphanDependents: true }))).toEqual(["orphan"]);
    const orphaning = object({ finalizers: ["orphan", "example.com/x"] });
    expect(finalizersAfter(decide(orphaning, { propagationPolicy: "Background" }))).toEqual(["example.com/x"]);
    expect(finalizersAfter(decide(orphaning))).toEqual(["example.com/x", "orphan"]);
  });

  it("sets the grace period once, and lets it only be shortened", () => {
    const strategy: KindStrategy = { gracePeriodSeconds: (_object, asked) => asked ?? 30 };
    const first = decide(object(), {}, strategy);
    expect(first).toMatchObject({ thenRemove: false, object: { metadata: { deletionGracePeriodSeconds: 30 } } });
    if (first.type !== "update") throw new Error("no grace");
    expect(decide(first.object, { gracePeriodSeconds: 60 }, strategy)).toEqual({ type: "pending" });
    expect(decide(first.object, { gracePeriodSeconds: 5 }, strategy)).toMatchObject({
      object: { metadata: { deletionTimestamp: "1970-01-01T00:00:05Z", deletionGracePeriodSeconds: 5 } },
    });
    expect(decide(first.object, { gracePeriodSeconds: 0 }, strategy)).toMatchObject({ thenRemove: true });
  });

  it("treats a grace period beyond an int64 of nanoseconds like Go", () => {
    const strategy: KindStrategy = { gracePeriodSeconds: (_object, asked) => asked ?? 9e15 };
    const first = decide(object(), {}, strategy);
    expect(first).toMatchObject({
      object: { metadata: { deletionTimestamp: "1956-12-01T10:56:13Z", deletionGracePeriodSeconds: 9e15 } },
    });
    if (first.type !== "update") throw new Error("no grace");
    expect(decide(first.object, { gracePeriodSeconds: 5 }, strategy)).toMatchObject({
      object: { metadata: { deletionGracePeriodSeconds: 5 } },
    });
  });
});

describe("isFreedByUpdate", () => {
  it("is true when the last finalizer of a deleted object is removed", () => {
    const old = object({ finalizers: ["example.com/x"], deletionTimestamp: "1970-01-01T00:00:00Z" });
    expect(isFreedByUpdate(resource(), object({ deletionTimestamp: "1970-01-01T00:00:00Z" }), old)).toBe(true);
    expect(isFreedByUpdate(resource(), old, old)).toBe(false);
    expect(isFreedByUpdate(resource(), object(), object())).toBe(false);
  });

  it("waits for grace, and for whatever else holds the object", () => {
    const deletionTimestamp = "1970-01-01T00:00:00Z";
    const old = object({ deletionTimestamp });
    const freed = (meta: object, strategy: KindStrategy = {}): boolean =>
      isFreedByUpdate(resource(strategy), object({ deletionTimestamp, ...meta }), old);
    expect([
      freed({ deletionGracePeriodSeconds: 0 }),
      freed({ deletionGracePeriodSeconds: 1 }),
      freed({ finalizers: [] }),
    ]).toEqual([...[true, false, true]]);
    expect(freed({}, { hasPendingFinalization: () => true })).toBe(false);
    expect(freed({}, { hasPendingFinalization: () => false })).toBe(true);
  });
});

describe("checkDeletePreconditions", () => {
  const current = object({ uid: "u", resourceVersion: "7" });
  it.each<readonly [wanted: DeleteOptions["preconditions"], meta: object, why: string | undefined]>([
    [undefined, {}, undefined],
    [{}, {}, undefined],
    [{ uid: "u", resourceVersion: "7" }, {}, undefined],
    [{ uid: "", resourceVersion: "" }, { uid: undefined, resourceVersion: undefined }, undefined],
    [
      { uid: "v", resourceVersion: "8" },
      {},
      "the UID in the precondition (v) does not match the UID in record (u). The object might have been deleted and then recreated",
    ],
    [
      { resourceVersion: "8" },
      {},
      "the ResourceVersion in the precondition (8) does not match the ResourceVersion in record (7). The object might have been modified",
    ],
  ])("compares %j", (wanted, meta, why) => {
    const check = (): void =>
      checkDeletePreconditions(resource(), { ...current, metadata: { ...current.metadata, ...meta } }, wanted);
    if (why === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(`Operation cannot be fulfilled on Thing "a": ${why}`);
  });
});
