import type { Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { checkDeletePreconditions, type DeletionOptions, decideDeletion, isFreedByUpdate } from "./deletion.ts";
import type { KindStrategy } from "./strategy.ts";
import { thingResource as resource } from "./testing/thing-resource.ts";

const context = { user: { name: "u", groups: [] }, nowMs: 0, namespace: "n", dryRun: false };
const object = (metadata: Partial<Unstructured["metadata"]> = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", ...metadata },
});
const decide = (current: Unstructured, options: Partial<DeletionOptions> = {}, strategy: KindStrategy = {}) =>
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

  it.each<
    readonly [
      policy: KindStrategy["defaultGarbageCollectionPolicy"],
      options: object,
      present: string[],
      after: unknown,
    ]
  >([
    [undefined, {}, [], "remove"],
    [undefined, {}, ["foregroundDeletion"], ["foregroundDeletion"]],
    [undefined, {}, ["a/b", "foregroundDeletion", "c/d"], ["a/b", "c/d", "foregroundDeletion"]],
    [undefined, { propagationPolicy: "Orphan" }, ["foregroundDeletion"], ["orphan"]],
    [undefined, { propagationPolicy: "Foreground" }, ["orphan"], ["foregroundDeletion"]],
    [undefined, { propagationPolicy: "Background" }, ["orphan"], "remove"],
    [undefined, { orphanDependents: false }, ["orphan"], "remove"],
    [undefined, { orphanDependents: false, propagationPolicy: "Orphan" }, [], ["orphan"]],
    ["background", {}, [], "remove"],
    ["orphan", {}, [], ["orphan"]],
    ["orphan", {}, ["foregroundDeletion"], ["foregroundDeletion"]],
    ["orphan", { propagationPolicy: "Background" }, [], "remove"],
    ["unsupported", { propagationPolicy: "Orphan" }, ["orphan", "foregroundDeletion"], "remove"],
    ["unsupported", {}, ["a/b", "orphan"], ["a/b"]],
  ])("has the finalizers of the policy: %s by default, asked %j, present %j", (policy, options, present, after) => {
    const strategy: KindStrategy = policy ? { defaultGarbageCollectionPolicy: policy } : {};
    expect(finalizersAfter(decide(object({ finalizers: present }), options, strategy))).toEqual(after);
  });

  it("asks the strategy once, and leaves the marks of kinds that end in their own way", () => {
    const calls: unknown[] = [];
    const strategy: KindStrategy = {
      prepareForDelete: ({ metadata }) => void calls.push(metadata.name),
      hasPendingFinalization: () => true,
    };
    const first = decide(object({ generation: 1 }), {}, strategy);
    expect(first).toMatchObject({ type: "update", thenRemove: false });
    if (first.type !== "update") throw new Error("not marked");
    expect(first.object.metadata).toEqual({ name: "a", generation: 1, deletionTimestamp: "1970-01-01T00:00:00Z" });
    expect(decide(first.object, {}, strategy)).toEqual({ type: "pending" });
    expect(calls).toEqual(["a"]);
    expect(decide(object(), {}, { hasPendingFinalization: () => false })).toEqual({ type: "remove" });
  });

  it("changes the finalizers of what is on its way already", () => {
    const deletionTimestamp = "1970-01-01T00:00:00Z";
    const held = object({ deletionTimestamp, deletionGracePeriodSeconds: 0, finalizers: ["a/b"], generation: 2 });
    expect(decide(held, { propagationPolicy: "Orphan" })).toMatchObject({
      object: { metadata: { finalizers: ["a/b", "orphan"], deletionTimestamp, generation: 2 } },
    });
    const early = decide({
      ...held,
      metadata: { ...held.metadata, deletionTimestamp: "1970-01-01T00:00:09Z", deletionGracePeriodSeconds: 9 },
    });
    expect(early).toMatchObject({
      object: { metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0, generation: 2 } },
    });
    expect(
      decide(object({ ...held.metadata, deletionTimestamp: "1969-12-31T23:59:59Z" }), { propagationPolicy: "Orphan" }),
    ).toMatchObject({
      object: { metadata: { deletionTimestamp: "1969-12-31T23:59:59Z" } },
    });
  });

  it.each<
    readonly [title: string, meta: Partial<Unstructured["metadata"]>, asked: number | undefined, expected: object]
  >([
    ["no grace left", { deletionGracePeriodSeconds: 0 }, undefined, { type: "remove" }],
    ["no grace left, but held", { deletionGracePeriodSeconds: 0, finalizers: ["a/b"] }, undefined, { type: "pending" }],
    ["grace left", { deletionGracePeriodSeconds: 5 }, undefined, { type: "pending" }],
    ["as much grace", { deletionGracePeriodSeconds: 5 }, 5, { type: "pending" }],
    [
      "less grace",
      { deletionGracePeriodSeconds: 5 },
      4,
      { object: { metadata: { deletionGracePeriodSeconds: 4 } }, thenRemove: false },
    ],
    [
      "a negative grace",
      { deletionGracePeriodSeconds: 5 },
      -7,
      { object: { metadata: { deletionGracePeriodSeconds: 1 } } },
    ],
    ["no grace at all", {}, 5, { type: "remove" }],
    ["no more grace, but held", { deletionGracePeriodSeconds: 5, finalizers: ["a/b"] }, 0, { thenRemove: false }],
  ])("decides about what is being deleted with %s", (_title, meta, gracePeriodSeconds, expected) => {
    const strategy: KindStrategy = { gracePeriodSeconds: (_object, asked) => asked ?? 30 };
    const deleting = object({ deletionTimestamp: "1970-01-01T00:00:05Z", ...meta });
    expect(decide(deleting, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }, strategy)).toMatchObject(
      expected,
    );
  });

  it("counts a generation when grace begins, where there is one", () => {
    const strategy: KindStrategy = { gracePeriodSeconds: (_object, asked) => asked ?? 30 };
    const generation = (meta: object): unknown => {
      const decision = decide(object(meta), { gracePeriodSeconds: -1 }, strategy);
      return (
        decision.type === "update" && [
          decision.object.metadata.generation,
          decision.object.metadata.deletionGracePeriodSeconds,
        ]
      );
    };
    expect([generation({ generation: 1 }), generation({})]).toEqual([
      [2, 1],
      [undefined, 1],
    ]);
  });

  it("gives grace once and lets it only be shortened", () => {
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
  it.each<readonly [wanted: DeletionOptions["preconditions"], meta: object, why: string | undefined]>([
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
