import { fieldError, type Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { beforeCreate } from "./before-create.ts";
import { beforeUpdate, type WrittenPart } from "./before-update.ts";
import type { ServedResource } from "./resource.ts";
import type { KindStrategy, StrategyContext } from "./strategy.ts";
import { thingResource } from "./testing/thing-resource.ts";

const context: StrategyContext = { user: { name: "u", groups: [] }, nowMs: 0, namespace: "n", dryRun: false };
const object = (metadata: object = {}, more: object = {}): Unstructured =>
  ({ apiVersion: "v1", kind: "Thing", metadata: { name: "a", namespace: "n", ...metadata }, ...more }) as Unstructured;
const custom = (strategy: KindStrategy = {}): ServedResource => ({
  ...thingResource({ hasStatus: true, ...strategy }),
  origin: "custom",
});
const update = (next: Unstructured, old: Unstructured, part: WrittenPart = "main", strategy: KindStrategy = {}) =>
  beforeUpdate(thingResource(strategy), next, old, part, context);

describe("beforeCreate", () => {
  const created = (made: Unstructured, resource = thingResource()) => {
    beforeCreate(resource, made, context);
    return made;
  };

  it("sets fields that only the server sets", () => {
    const sent = { uid: "mine", deletionTimestamp: "x", deletionGracePeriodSeconds: 3, selfLink: "/x", generation: 7 };
    const { metadata } = created(object({ ...sent, creationTimestamp: "y" }));
    expect(metadata).toMatchObject({ name: "a", creationTimestamp: "1970-01-01T00:00:00Z", generation: 7 });
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    for (const name of ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"])
      expect(metadata).not.toHaveProperty(name);
    expect(created(object({ generation: 7 }), thingResource({ countsGeneration: true })).metadata.generation).toBe(1);
  });

  it("generates a name if none is given, truncated to fit a label", () => {
    expect(created(object({ name: "", generateName: "a-" })).metadata.name).toMatch(
      /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
    );
    expect(created(object({ generateName: "b-" })).metadata.name).toBe("a");
    expect(created(object({ name: "", generateName: "x".repeat(80) })).metadata.name).toHaveLength(63);
    expect(() => created(object({ name: undefined }))).toThrow("metadata.name: Required value");
  });

  it("uses the namespace of the request, and rejects another", () => {
    expect(created(object({ namespace: undefined })).metadata.namespace).toBe("n");
    expect(() => created(object({ namespace: "m" }))).toThrow("does not match the namespace sent on the request");
    const cluster = { ...thingResource(), scope: "Cluster" } as const;
    expect(created(object(), cluster).metadata).not.toHaveProperty("namespace");
  });

  it("calls the strategy, in order", () => {
    const calls: string[] = [];
    const strategy: KindStrategy = {
      prepareForCreate: () => void calls.push("prepare"),
      validate: () => {
        calls.push("validate");
        return [];
      },
      canonicalize: () => void calls.push("canonicalize"),
    };
    created(object(), thingResource(strategy));
    expect(calls).toEqual(["prepare", "validate", "canonicalize"]);
    const refusing = thingResource({ validate: () => [fieldError.required("spec.x")] });
    expect(() => created(object(), refusing)).toThrow('Thing "a" is invalid: spec.x: Required value');
  });

  it("leaves the status to its own endpoint", () => {
    expect(created(object({}, { status: { a: 1 } }), custom())).not.toHaveProperty("status");
    expect(created(object({}, { status: { a: 1 } })).status).toEqual({ a: 1 });
  });
});

describe("beforeUpdate", () => {
  const system = { uid: "1", creationTimestamp: "1970-01-01T00:00:00Z", generation: 3 };

  it("keeps fields that only the server sets", () => {
    const deleting = { ...system, deletionTimestamp: "1970-01-01T00:00:09Z", deletionGracePeriodSeconds: 0 };
    const next = update(object({ creationTimestamp: "1999-01-01T00:00:00Z", generation: 9 }), object(deleting));
    expect(next.metadata).toEqual({ name: "a", namespace: "n", ...deleting });
    const bare = update(object({ creationTimestamp: "1999-01-01T00:00:00Z", generation: 9 }), object()).metadata;
    expect(Object.keys(bare).sort()).toEqual(["name", "namespace"]);
    expect(() => update(object({ uid: "2" }), object(system))).toThrow('metadata.uid: Invalid value: "2"');
    expect(() => update(object({ namespace: "m" }), object(system))).toThrow("does not match the namespace");
  });

  it.each<[string, WrittenPart, object, KindStrategy, number]>([
    ["a changed spec", "main", { spec: 2 }, { countsGeneration: true }, 4],
    ["an unchanged one", "main", { spec: 1 }, { countsGeneration: true }, 3],
    ["a kind that does not count", "main", { spec: 2 }, {}, 3],
    ["a kind that counts nothing", "main", { spec: 2 }, { countsGeneration: true, generationAlsoCounts: "nothing" }, 3],
    ["the spec by a subresource", "spec", { spec: 2 }, { countsGeneration: true }, 4],
    ["the whole by a subresource", "whole", { spec: 2 }, { countsGeneration: true }, 3],
  ])("increments the generation: %s", (_, part, more, strategy, generation) => {
    expect(update(object({}, more), object(system, { spec: 1 }), part, strategy).metadata.generation).toBe(generation);
  });

  it("counts annotations if the kind does, and the first change as 1", () => {
    const strategy = { countsGeneration: true, generationAlsoCounts: "annotations" } as const;
    const marked = object({ annotations: { a: "b" } });
    expect(update(marked, object(system), "main", strategy).metadata.generation).toBe(4);
    expect(update(object(), object(system), "main", strategy).metadata.generation).toBe(3);
    const first = update(object({}, { spec: 2 }), object(), "main", { countsGeneration: true });
    expect(first.metadata.generation).toBe(1);
  });

  it("writes only the status at its endpoint, and only there", () => {
    const old = object({ ...system, labels: { a: "b" } }, { spec: 1, status: { seen: 1 } });
    const sent = () => object({ labels: { c: "d" } }, { spec: 2, status: { seen: 2 } });
    const resource = custom();
    expect(beforeUpdate(resource, sent(), old, "main", context)).toMatchObject({ spec: 2, status: { seen: 1 } });
    expect(beforeUpdate(resource, sent(), old, "status", context)).toMatchObject({ spec: 1, status: { seen: 2 } });
    expect(beforeUpdate(resource, object(), old, "status", context)).not.toHaveProperty("status");
    const { status, ...never } = old;
    expect(beforeUpdate(resource, sent(), never as Unstructured, "main", context)).not.toHaveProperty("status");
  });

  it.each<[WrittenPart, string[]]>([
    ["main", ["prepareForUpdate", "validateUpdate", "canonicalize"]],
    ["status", ["prepareForStatusUpdate", "validateStatusUpdate", "canonicalize"]],
    ["whole", ["prepareForPartUpdate", "validatePartUpdate", "canonicalize"]],
    ["spec", ["validatePartUpdate", "canonicalize"]],
  ])("calls the strategy for the part %s", (part, expected) => {
    const calls: string[] = [];
    const names = ["prepareForUpdate", "prepareForStatusUpdate", "prepareForPartUpdate", "canonicalize"];
    const checks = ["validate", "validateUpdate", "validateStatusUpdate", "validatePartUpdate"];
    const strategy = Object.fromEntries([
      ...names.map((name) => [name, () => void calls.push(name)]),
      ...checks.map((name) => [
        name,
        () => {
          calls.push(name);
          return [];
        },
      ]),
    ]) as KindStrategy;
    update(object(), object(system), part, strategy);
    expect(calls).toEqual(expected);
  });

  it("validates an update like a new object if the kind has no update validation", () => {
    const strategy: KindStrategy = { validate: () => [fieldError.required("spec.x")] };
    expect(() => update(object(), object(system), "main", strategy)).toThrow("spec.x: Required value");
    expect(() => update(object(), object(system), "status", strategy)).not.toThrow();
  });
});
