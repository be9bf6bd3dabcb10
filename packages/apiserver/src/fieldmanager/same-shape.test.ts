import { mutableCopy, type Unstructured } from "@kubewright/apimachinery";
import { builtinSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import { hasSameShape, shapeOf } from "./same-shape.ts";
import { by, configMap, configMaps } from "./testing/config-maps.ts";
import { createFieldManager } from "./typed-field-manager.ts";

describe("hasSameShape", () => {
  it.each([
    [
      { a: "x", b: { c: 1 } },
      { b: { c: 2 }, a: "y" },
    ],
    [
      { a: true, b: [] },
      { a: true, b: [] },
    ],
    [{}, {}],
  ])("%j and %j are similar", (a, b) => {
    expect(hasSameShape(a, b)).toBe(true);
  });

  it.each([
    [{ a: "x" }, { a: "" }],
    [{ a: "x" }, { a: "0" }],
    [{ a: 1 }, { a: 0 }],
    [{ a: 1 }, { a: "1" }],
    [{ a: true }, { a: false }],
    [{ a: null }, { a: {} }],
    [{ a: {} }, { a: { b: "x" } }],
    [{ a: "x" }, { b: "x" }],
    [{ a: ["x"] }, { a: ["y"] }],
    [{ a: [] }, { a: {} }],
  ])("%j and %j are not similar", (a, b) => {
    expect(hasSameShape(a, b)).toBe(false);
    expect(hasSameShape(b, a)).toBe(false);
  });
});

describe("shapeOf", () => {
  it("keeps only whether values are set", () => {
    const value = { a: "secret", b: 0, c: { d: 17, e: "", f: null }, g: [], h: false };
    expect(shapeOf(value)).toEqual({ a: "x", b: 0, c: { d: 1, e: "", f: null }, g: [], h: false });
    expect(hasSameShape(shapeOf(value), value)).toBe(true);
    expect(shapeOf({ a: [1] })).toBeUndefined();
  });
});

describe("a creator", () => {
  const gvk = { group: "apps", version: "v1", kind: "Deployment" };
  const schema = builtinSchema(gvk);
  const deployment = (spec: object, labels: object = {}): Unstructured => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", ...(Object.keys(labels).length > 0 ? { labels } : {}) } as Unstructured["metadata"],
    spec,
  });
  const container = (name: string) => ({ template: { spec: { containers: [{ name, image: "i" }] } } });
  const objects = [
    deployment({ replicas: 1 }),
    deployment({ replicas: 2 }),
    deployment({ replicas: 0 }),
    deployment({ replicas: 3, paused: true }, { a: "x" }),
    deployment({ replicas: 3, paused: false }, { a: "y" }),
    deployment({ replicas: 3 }, { a: "", b: "x" }),
    deployment(container("a")),
    deployment(container("b")),
    deployment({ selector: {}, ...container("b") }),
    deployment({ selector: { matchLabels: { a: "b" } }, ...container("b") }),
    deployment({ strategy: { type: "Recreate" } }),
    deployment({ strategy: { type: "RollingUpdate" } }),
  ];

  it("owns the same fields, whatever was created before", () => {
    if (!schema) throw new Error("no such type");
    const shared = createFieldManager({ gvk, schema });
    for (const object of [...objects, ...objects.toReversed()]) {
      const alone = createFieldManager({ gvk, schema }).update(undefined, mutableCopy(object), by("m"));
      expect(shared.update(undefined, mutableCopy(object), by("m"))).toEqual(alone);
    }
  });

  it("shares them with creators of similar objects", () => {
    const [one, two] = ["a", "b"].map((value) => configMaps.update(undefined, configMap({ key: value }), by("m")));
    expect(one?.metadata.managedFields?.[0]?.fieldsV1).toBe(two?.metadata.managedFields?.[0]?.fieldsV1);
  });
});
