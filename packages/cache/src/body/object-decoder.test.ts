import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KeptManagedFields } from "./managed-fields.ts";
import { ObjectDecoder } from "./object-decoder.ts";
import { stripManagedFields } from "./strip-managed-fields.ts";

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
