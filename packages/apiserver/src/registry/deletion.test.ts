import type { Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { type DeleteOptions, decideDeletion, isFreedByUpdate } from "./deletion.ts";
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
});
