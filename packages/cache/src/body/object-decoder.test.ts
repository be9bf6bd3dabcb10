import { inspect, isDeepStrictEqual } from "node:util";
import { unreadMemberOf } from "@kubewright/lazy-json";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "./freeze.ts";
import { type KeptManagedFields, stripManagedFields } from "./managed-fields.ts";
import { ObjectDecoder } from "./object-decoder.ts";

/** Numbers of ordinary length: longer ones are left to the parser. */
const part = fc
  .jsonValue({ maxDepth: 3, noUnicodeString: false })
  .map((value) =>
    JSON.parse(JSON.stringify(value), (_, one) => (typeof one === "number" ? Math.trunc(one % 1e6) : one)),
  );
const text = fc.string({ unit: "grapheme" });
const managedFields = fc.array(
  fc.record({ manager: fc.constantFrom("ours", "kubectl", "ours/2"), fieldsV1: part }, { requiredKeys: ["manager"] }),
);
const metadata = fc.record(
  {
    name: text,
    namespace: fc.constantFrom("web", "db"),
    labels: fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("shop", "é🚀", '"\\')),
    annotations: fc.dictionary(text, text),
    generation: fc.nat(),
    deletionTimestamp: fc.constant(null),
    managedFields,
    finalizers: fc.array(fc.constantFrom("a", "b")),
  },
  { requiredKeys: ["name"] },
);
const object = fc
  .record(
    {
      apiVersion: fc.constantFrom("v1", "apps/v1"),
      kind: fc.constantFrom("Pod", "Deployment"),
      metadata,
      spec: part,
      status: part,
      data: fc.dictionary(text, text),
      immutable: fc.boolean(),
    },
    { requiredKeys: ["kind", "metadata"] },
  )
  .chain((members) => fc.tuple(shuffled(members), shuffled(members.metadata), fc.constantFrom(undefined, 1, "\t")))
  .map(([members, inOrder, indent]) => JSON.stringify({ ...members, metadata: inOrder }, undefined, indent));

function shuffled<T extends object>(value: T): fc.Arbitrary<T> {
  const names = Object.keys(value);
  return fc
    .shuffledSubarray(names, { minLength: names.length })
    .map((order) => Object.fromEntries(order.map((name) => [name, value[name as keyof T]])) as T);
}

/** The expected result without this decoder. */
function plainly(json: string, kept: KeptManagedFields): unknown {
  const value = JSON.parse(json);
  return kept === "all" ? value : stripManagedFields(kept?.of)(value);
}

describe.each<[string, KeptManagedFields]>([
  ["no managedFields", undefined],
  ["all managedFields", "all"],
  ["one manager's managedFields", { of: "ours" }],
  ["a manager's managedFields of an odd name", { of: 'o"\\' }],
])("decoding objects, keeping %s", (_, kept) => {
  it("returns the same result as JSON.parse, in the same order", () => {
    let decoded = 0;
    const decoder = new ObjectDecoder(kept);
    fc.assert(
      fc.property(object, fc.constantFrom("", "}\n", ","), (json, rest) => {
        const bytes = Buffer.from(`  ${json}${rest}`);
        const found = decoder.decode(bytes, 2);
        if (found === undefined) {
          expect(decoder.end).toBe(-1);
          return;
        }
        decoded++;
        expect(decoder.end).toBe(2 + Buffer.byteLength(json));
        const made = kept === "all" ? found : stripManagedFields(kept?.of)(found);
        expect(made).toStrictEqual(plainly(json, kept));
        expect(JSON.stringify(made)).toBe(JSON.stringify(plainly(json, kept)));
        expect(structuredClone(made)).toStrictEqual(plainly(json, kept));
      }),
      { numRuns: 500 },
    );
    expect(decoded).toBeGreaterThan(300);
  });
});

describe("ObjectDecoder", () => {
  const decoded = (json: string, kept?: KeptManagedFields) => new ObjectDecoder(kept).decode(Buffer.from(json), 0);
  const body = `{"a":"${"x".repeat(40)}"}`;

  it.each([
    ["members that occur twice", `{"metadata":{"name":"a"},"spec":${body},"spec":{"b":1}}`],
    ["metadata that occurs twice", `{"metadata":{"name":"a"},"metadata":{"name":"b"}}`],
    ["metadata members that occur twice", `{"metadata":{"name":"a","name":"b"}}`],
    ["names with escapes", `{"metadata":{"name":"a","managed\\u0046ields":[]},"spec":${body}}`],
    ["names that JavaScript treats specially", `{"metadata":{"name":"a"},"__proto__":${body},"1":${body}}`],
    ["integers that no double can hold", `{"metadata":{"name":"a"},"spec":{"id":9007199254740993,"b":${body}}}`],
    ["truncated JSON", `{"metadata":{"name":"a"},"spec":${body.slice(0, -3)}`],
    ["an object without metadata", `{"kind":"Pod","spec":${body}}`],
    ["metadata that is not an object", `{"metadata":null,"spec":${body}}`],
    ["an array", `[${body}]`],
  ])("leaves %s to the caller", (_, json) => {
    expect(decoded(json)).toBeUndefined();
  });

  it("removes managedFields in any position", () => {
    for (const json of [
      '{"metadata":{"managedFields":[{"a":1}],"name":"a"}}',
      '{"metadata":{"name":"a","managedFields":[{"a":1}]}}',
      '{"metadata":{ "name" : "a" , "managedFields" : [ {"a":"]}"} ] , "uid":"u" }}',
      '{"metadata":{"managedFields":[]}}',
    ])
      expect(decoded(json)).toEqual(plainly(json, undefined));
  });

  it("shares equal values between objects, but never within one object", () => {
    const decoder = new ObjectDecoder(undefined);
    const labels = { app: "shop", tier: "backend" };
    const make = (name: string) =>
      decoder.decode(Buffer.from(JSON.stringify({ metadata: { name, labels, annotations: labels } })), 0) as {
        metadata: { name: string; labels: object; annotations: object };
      };
    const [, , first, second] = ["a", "b", "c", "d"].map(make);

    expect(first?.metadata.labels).toBe(second?.metadata.labels);
    expect(first?.metadata.labels).not.toBe(first?.metadata.annotations);
    expect(Object.isFrozen(first?.metadata.labels)).toBe(true);
    expect(second).toEqual({ metadata: { name: "d", labels, annotations: labels } });
  });
});

const plain = () => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "shop-0", namespace: "web", labels: { app: "shop" } },
  spec: { containers: [{ name: "app", image: "shop:1" }], nodeName: "node-1" },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});
type Pod = ReturnType<typeof plain>;

const unread = (): Pod => new ObjectDecoder(undefined).decode(Buffer.from(JSON.stringify(plain())), 0) as Pod;
const isUnread = (pod: Pod): boolean => unreadMemberOf(pod, 0) !== undefined;

describe.each([
  ["", unread],
  [" that is frozen", () => deepFreeze(unread())],
  [" that other code froze", () => Object.freeze(unread())],
  [
    " that has been read",
    () => {
      const pod = unread();
      return pod.spec && pod.status ? pod : pod;
    },
  ],
])("an object with an unread body%s", (_, make) => {
  it("has the members of a plain one, in their order", () => {
    expect(Object.keys(make())).toEqual(Object.keys(plain()));
    expect(Object.entries(make())).toEqual(Object.entries(plain()));
    expect(Object.values(make())).toEqual(Object.values(plain()));
    const names: string[] = [];
    for (const name in make()) names.push(name);
    expect(names).toEqual(Object.keys(plain()));
  });

  it("answers `in` and hasOwn, and has the prototype of a plain one", () => {
    const pod = make();
    expect("spec" in pod && "status" in pod && Object.hasOwn(pod, "spec")).toBe(true);
    expect("data" in pod || Object.hasOwn(pod, "data")).toBe(false);
    expect(Object.getPrototypeOf(pod)).toBe(Object.prototype);
  });

  it("is equal to a plain one", () => {
    expect(make()).toEqual(plain());
    expect(make()).toStrictEqual(plain());
    expect(plain()).toStrictEqual(make());
    expect(isDeepStrictEqual(make(), plain())).toBe(true);
    expect(isDeepStrictEqual(plain(), make())).toBe(true);
    expect(isDeepStrictEqual(make(), { ...plain(), status: { phase: "Failed" } })).toBe(false);
  });

  it("is written as JSON like a plain one", () => {
    expect(JSON.stringify(make())).toBe(JSON.stringify(plain()));
  });

  it("is spread into a plain one", () => {
    const copy = { ...make() };
    expect(copy).toStrictEqual(plain());
    expect(Reflect.ownKeys(copy)).toEqual(Object.keys(plain()));
    copy.spec = { containers: [], nodeName: "node-2" };
    expect(Object.assign({}, make())).toStrictEqual(plain());
  });

  it("is cloned into a plain one that may be changed", () => {
    const copy = structuredClone(make());
    expect(copy).toStrictEqual(plain());
    copy.spec.nodeName = "node-2";
    copy.metadata.labels.app = "other";
    expect(copy).toMatchObject({ spec: { nodeName: "node-2" }, metadata: { labels: { app: "other" } } });
  });

  it("is shown like a plain one", () => {
    expect(inspect(make())).toBe(inspect(plain()));
    expect(inspect({ pod: make() }, { depth: 4 })).toBe(inspect({ pod: plain() }, { depth: 4 }));
  });

  it("reads the same value each time", () => {
    const pod = make();
    expect(pod.spec).toBe(pod.spec);
    expect(pod.status.conditions).toBe(pod.status.conditions);
    const { spec, ...rest } = pod;
    expect(spec).toEqual(plain().spec);
    expect(Object.keys(rest)).toEqual(["apiVersion", "kind", "metadata", "status"]);
  });
});

describe("an object with an unread body", () => {
  it("parses a member when it is read, and only that", () => {
    const pod = unread();
    expect(isUnread(pod)).toBe(true);
    expect(pod.status.phase).toBe("Running");
    expect(isUnread(pod)).toBe(true);
    expect(pod.spec.nodeName).toBe("node-1");
    expect(isUnread(pod)).toBe(false);
  });

  it("drops a member's text when the member is read", () => {
    const pod = unread();
    expect(unreadMemberOf(pod, 1)).toBe(JSON.stringify(plain().status));
    expect(pod.status.phase).toBe("Running");
    expect(unreadMemberOf(pod, 1)).toBeUndefined();
  });

  it("can be the prototype of other objects", () => {
    const heir = Object.create(unread()) as Pod;
    expect(heir.spec).toEqual(plain().spec);
    heir.spec = { containers: [], nodeName: "node-2" };
    expect(heir.spec.nodeName).toBe("node-2");
  });

  it("keeps no bytes in memory except its own", () => {
    const bytes = Buffer.concat([Buffer.from(JSON.stringify(plain())), Buffer.alloc(50_000)]);
    const pod = new ObjectDecoder(undefined).decode(bytes, 0) as Pod;
    bytes.fill(0);
    expect(pod).toStrictEqual(plain());
  });

  it("can be changed like a plain one, unless it is frozen", () => {
    const pod = unread();
    pod.spec = { containers: [], nodeName: "node-2" };
    pod.status.phase = "Failed";
    expect(pod).toMatchObject({ spec: { nodeName: "node-2" }, status: { phase: "Failed" } });
    const other: Partial<Pod> = unread();
    delete other.status;
    expect(Object.keys(other)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  });

  it("is frozen without being read, and its body when it is", () => {
    const pod = deepFreeze(unread());
    expect(Object.isFrozen(pod)).toBe(true);
    expect(isUnread(pod)).toBe(true);
    const parts = [
      pod.metadata,
      pod.metadata.labels,
      pod.spec,
      pod.spec.containers,
      pod.spec.containers[0],
      pod.status,
    ];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
    expect(() => {
      pod.spec = plain().spec;
    }).toThrow(TypeError);
    expect(() => {
      pod.spec.nodeName = "node-2";
    }).toThrow(TypeError);
    expect(() => {
      delete (pod as Partial<Pod>).spec;
    }).toThrow(TypeError);
  });
});
