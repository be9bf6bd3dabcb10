import type { KubeObject } from "@kubewright/apimachinery";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { unreadMemberOf } from "../body/deferred-members.ts";
import { ObjectDecoder } from "../body/object-decoder.ts";
import { type IncomingOptions, incomingTransform } from "./incoming-transform.ts";

const long = "x".repeat(50);
const thing = () => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    name: "a",
    namespace: "web",
    uid: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { app: "shop" },
    annotations: { long },
    finalizers: ["a/b"],
    ownerReferences: [{ apiVersion: "v1", kind: "Owner", name: "o", uid: "2" }],
    managedFields: [
      { manager: "kubectl", fieldsV1: { f: {} } },
      { manager: "ours", fieldsV1: { f: {} } },
    ],
  },
  spec: { list: [{ text: long }, [1, { deep: {} }]], none: null },
  short: { a: [1] },
  empty: {},
});
type Thing = ReturnType<typeof thing>;
type Options = IncomingOptions<KubeObject>;

/** Paths of everything in a value that can be modified. */
function changeable(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, part]) => changeable(part, `${path}.${name}`));
  return Object.isFrozen(value) ? inside : [path, ...inside];
}
const incoming = (object: object, options: Options) =>
  incomingTransform<KubeObject>(options)(object as never) as unknown as Thing;

describe.each(["production", "test"])("an incoming object with NODE_ENV=%s", (mode) => {
  beforeEach(() => void vi.stubEnv("NODE_ENV", mode));
  afterEach(() => void vi.unstubAllEnvs());

  it.each<[string, Options]>([
    ["none", {}],
    ["all", { managedFields: "all" }],
    ["some", { managedFields: { of: "ours" } }],
  ])("is frozen in depth without being read, with %s of its managedFields", (_, options) => {
    const decoder = new ObjectDecoder(options.managedFields, undefined, true);
    const object = incoming(decoder.decode(Buffer.from(JSON.stringify(thing())), 0) ?? {}, options);
    expect([object, object.metadata].every((part) => Object.isFrozen(part))).toBe(true);
    expect(unreadMemberOf(object, 0)).toBeDefined();
    expect(unreadMemberOf(object.metadata, 0)).toBeDefined();
    expect(changeable(object)).toEqual([]);
    expect(object).toMatchObject({ spec: thing().spec, short: thing().short });
    expect(object.metadata.managedFields?.map(({ manager }) => manager)).toEqual(
      { none: undefined, all: ["kubectl", "ours"], some: ["ours"] }[_],
    );
  });

  it("is frozen in depth when it was parsed as a whole", () => {
    expect(changeable(incoming(thing(), {}))).toEqual([]);
  });

  it("is frozen in depth after a transform, whatever that returns", () => {
    const shallow: Options = { transform: (object) => Object.freeze({ ...object, spec: { a: [{}] } }) };
    expect(changeable(incoming(thing(), shallow))).toEqual([]);
    const circle: Options = {
      transform: (object) => {
        const node: { self?: object; part: object } = { part: {} };
        node.self = Object.freeze([node]);
        return Object.assign(object, { spec: Object.freeze(node) });
      },
    };
    const { spec } = incoming(thing(), circle) as unknown as { spec: { self: object[]; part: object } };
    expect([spec, spec.self, spec.part, spec.self[0]].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it.each([new Map([["a", 1]]), new Set([1]), new Date(0), new Uint8Array(1), new Uint8Array(0)])(
    "is refused if it contains a value that cannot be frozen: %o",
    (part) => {
      const transform: Options["transform"] = (object) => Object.assign(object, { spec: { part } });
      expect(() => incoming(thing(), { transform })).toThrow(
        `it contains a ${part.constructor.name}, which can be modified even when it is frozen; use objects, arrays and primitive values`,
      );
    },
  );

  it("is left unfrozen if requested", () => {
    const decoder = new ObjectDecoder(undefined, undefined, false);
    const object = incoming(decoder.decode(Buffer.from(JSON.stringify(thing())), 0) ?? {}, { freeze: false });
    object.metadata.name = "b";
    object.spec.list.pop();
    object.short.a.push(2);
    expect(object).toMatchObject({ metadata: { name: "b" }, spec: { list: [{ text: long }] }, short: { a: [1, 2] } });
  });
});
