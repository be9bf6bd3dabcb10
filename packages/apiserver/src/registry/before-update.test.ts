import { fieldError, isStatusError, type Unstructured } from "@kubewright/apimachinery";
import { systemRandom } from "@kubewright/clock";
import { builtinSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import { beforeCreate } from "./before-create.ts";
import { beforeUpdate, versionRequired, type WrittenPart } from "./before-update.ts";
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
    beforeCreate(resource, made, context, systemRandom);
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

  it("prints what a built-in type's struct always has, its status foremost", () => {
    const schema = builtinSchema({ group: "", version: "v1", kind: "Namespace" });
    if (!schema) throw new Error("there is no such kind");
    const namespace = { ...thingResource({ hasStatus: true }), schema };
    const made = created(object({}, { status: { phase: "Active" } }), namespace);
    expect([made.spec, made.status]).toEqual([{}, {}]);
    expect(created(object(), namespace).status).not.toBe(made.status);
    expect(created(object(), { ...namespace, origin: "custom" })).not.toHaveProperty("spec");
    expect(created(object({}, { status: 1 }), { ...thingResource({ hasStatus: true }) })).not.toHaveProperty("status");
    const lists = builtinSchema({ group: "apps", version: "v1", kind: "DaemonSet" });
    if (!lists) throw new Error("there is no such kind");
    expect(created(object({}, { status: { x: 1 } }), { ...namespace, schema: lists }).status).toMatchObject({
      numberReady: 0,
    });
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

  it("prints what a built-in type's struct always has", () => {
    const schema = builtinSchema({ group: "", version: "v1", kind: "Namespace" });
    if (!schema) throw new Error("there is no such kind");
    expect(beforeUpdate({ ...thingResource(), schema }, object(), object(system), "main", context)).toHaveProperty(
      "spec",
      {},
    );
  });

  it.each(["labels", "annotations"] as const)("counts %s where the kind says so", (also) => {
    const strategy: KindStrategy = { countsGeneration: true, generationAlsoCounts: also };
    const changed = (next: object, old: object): boolean =>
      update(object(next), object({ ...system, ...old }), "main", strategy).metadata.generation === 4;
    expect(changed({ [also]: { a: "b" } }, { [also]: { a: "c" } })).toBe(true);
    expect(changed({}, { [also]: {} })).toBe(false);
    expect(changed({ [also === "labels" ? "annotations" : "labels"]: { a: "b" } }, {})).toBe(false);
  });

  it("counts a status only where it has no endpoint of its own", () => {
    const generation = (strategy: KindStrategy): unknown =>
      update(object({}, { status: 2 }), object(system, { status: 1 }), "main", { countsGeneration: true, ...strategy })
        .metadata.generation;
    expect([generation({}), generation({ hasStatus: true })]).toEqual([4, 3]);
  });

  describe("by the status endpoint", () => {
    const old = object(
      { ...system, labels: { a: "b" }, ownerReferences: undefined, resourceVersion: "7" },
      { spec: 1 },
    );
    const owners = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }];
    const sent = (more: object = {}): Unstructured =>
      object({ labels: { c: "d" }, annotations: { e: "f" }, ownerReferences: owners, ...more }, { spec: 2, status: 2 });
    const metadata = (resource: ServedResource, more: object = {}): object =>
      beforeUpdate(resource, sent(more), old, "status", context).metadata;

    it("takes metadata of built-in kinds, but not what the kind excepts", () => {
      expect(metadata(thingResource())).toMatchObject({
        labels: { c: "d" },
        annotations: { e: "f" },
        ownerReferences: owners,
      });
      const some = metadata(thingResource({ statusIgnoresMetadata: ["labels", "ownerReferences"] }));
      expect(some).toMatchObject({ labels: { a: "b" }, annotations: { e: "f" } });
      expect(some).not.toHaveProperty("ownerReferences");
    });

    it("takes nothing of the metadata of custom kinds but what identifies the object and its managers", () => {
      const managedFields = [{ manager: "m", operation: "Update" }];
      expect(metadata(custom(), { managedFields, resourceVersion: "8" })).toEqual({
        ...{ name: "a", namespace: "n", ...system, labels: { a: "b" }, resourceVersion: "8", managedFields },
      });
      expect(metadata(custom())).not.toHaveProperty("managedFields");
      expect(metadata(custom())).toMatchObject({ resourceVersion: "7", uid: "1" });
      expect(() => metadata(custom(), { uid: "2" })).toThrow('metadata.uid: Invalid value: "2"');
    });
  });

  it.each<readonly [what: string, resource: ServedResource, part: WrittenPart, times: number]>([
    ["a built-in kind", thingResource(), "main", 1],
    ["a built-in kind", thingResource(), "status", 1],
    ["a definition", { ...thingResource(), group: "apiextensions.k8s.io" }, "main", 3],
    ["a custom kind", custom(), "main", 3],
  ])("reports metadata of %s that is not valid as often as upstream", (_what, resource, part, times) => {
    const wrong = object({ ...system, labels: { "a b": "" } });
    try {
      beforeUpdate(resource, wrong, object(system), part, context);
      expect.unreachable();
    } catch (error) {
      if (!isStatusError(error)) throw error;
      expect(error.status.details?.causes).toHaveLength(times);
    }
  });

  it("lets a name pass that the kind no longer allows, unless it looks again", () => {
    const named =
      (origin: ServedResource["origin"]): (() => unknown) =>
      () =>
        beforeUpdate(
          { ...thingResource({ nameRule: "label" }), origin },
          object({ name: "a.b", labels: { "a b": "" } }),
          object({ name: "a.b" }),
          ...(["main", context] as const),
        );
    expect(named("builtin")).not.toThrow(/metadata\.name/);
    expect(named("custom")).toThrow(/metadata\.name: Invalid value: "a\.b"/);
  });

  it("needs a version where the kind does", () => {
    expect(versionRequired({ ...thingResource(), group: "g" }, "a")).toMatchObject({
      message: 'things.g "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    });
  });
});
