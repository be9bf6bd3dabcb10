import { jsonOf, unreadMemberOf } from "@kubewright/lazy-json";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripManagedFields } from "./managed-fields.ts";
import { ObjectDecoder } from "./object-decoder.ts";
import { notedKeyOf } from "./object-notes.ts";

const word = fc.constantFrom("shop", "ledger", "é🚀", '"\\', "a\nb", "x".repeat(40), "");
const tree = fc.dictionary(word, fc.oneof(word, fc.array(word, { maxLength: 4 }), fc.dictionary(word, word)));
const version = fc.record({
  resourceVersion: fc.nat({ max: 99 }).map(String),
  labels: fc.dictionary(word, word, { maxKeys: 3 }),
  annotations: fc.dictionary(word, word, { maxKeys: 4 }),
  ownerReferences: fc.array(fc.record({ kind: word, uid: word }), { maxLength: 2 }),
  managedFields: fc.array(fc.record({ manager: word, fieldsV1: tree }), { maxLength: 2 }),
  spec: tree,
  status: tree,
});
type Version = typeof version extends fc.Arbitrary<infer V> ? V : never;
/** Versions of an object, each of which has much in common with the one before. */
const history = fc
  .tuple(
    version,
    fc.array(fc.tuple(version, fc.subarray(["labels", "annotations", "managedFields", "spec", "status"]))),
  )
  .map(([first, changes]) => {
    const versions: Version[] = [first];
    for (const [other, changed] of changes) {
      const before = versions.at(-1) ?? first;
      const parts = Object.fromEntries(changed.map((part) => [part, other[part as keyof Version]]));
      versions.push({ ...before, resourceVersion: other.resourceVersion, ...parts });
    }
    return versions;
  });

function jsonAt(object: object, index: number): string | undefined {
  const member = unreadMemberOf(object, index);
  return member && jsonOf(member);
}

const textOf = ({ spec, status, ...metadata }: Version, name: string, namespace?: string): string =>
  JSON.stringify({ kind: "Pod", metadata: { name, ...(namespace ? { namespace } : {}), ...metadata }, spec, status });
const plainly = (json: string): unknown => stripManagedFields()(JSON.parse(json));

/** Modifications that other code makes to a stored object before the next version arrives. */
const meddling = fc.constantFrom<(object: Stored) => unknown>(
  () => undefined,
  (object) => object.spec,
  (object) => [object.spec, object.status, object.metadata.annotations],
  (object) => Object.freeze(object),
  (object) => Object.assign(object, { spec: { changed: "x".repeat(50) } }),
  (object) => Object.assign(object.metadata, { annotations: { changed: "yes" }, labels: { changed: "yes" } }),
  (object) => Object.assign(object.metadata, { name: "other", uid: 7 }),
  (object) => Object.assign(object, { metadata: null }),
);
interface Stored {
  spec: unknown;
  status: unknown;
  metadata: { annotations: unknown };
}

describe("the next version of an object", () => {
  it("equals the result of JSON.parse, whatever happened to the previous version", () => {
    fc.assert(
      fc.property(history, word, fc.constantFrom(undefined, "web"), meddling, (versions, name, namespace, meddle) => {
        let stored: object | undefined;
        const decoder = new ObjectDecoder(undefined, () => stored);
        for (const one of versions) {
          const json = textOf(one, name, namespace);
          const object = decoder.decode(Buffer.from(`${json}\n`), 0);
          expect(object).toStrictEqual(plainly(json));
          expect(JSON.stringify(object)).toBe(JSON.stringify(plainly(json)));
          stored = decoder.decode(Buffer.from(json), 0);
          if (stored) meddle(stored as Stored);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is refused if it is damaged, except in members that are left out", () => {
    let refused = 0;
    fc.assert(
      fc.property(history, fc.nat(), fc.constantFrom(...Buffer.from('{}[]",:\\ \n\u0001x0')), (versions, at, byte) => {
        let stored: object | undefined;
        const decoder = new ObjectDecoder(undefined, () => stored);
        for (const one of versions) {
          const json = textOf(one, "a", "web");
          const damaged = Buffer.from(json);
          damaged[at % damaged.length] = byte;
          const object = decoder.decode(damaged, 0);
          if (object === undefined) refused++;
          else expect(object).toStrictEqual(plainly(damaged.toString(undefined, 0, decoder.end)));
          stored = decoder.decode(Buffer.from(json), 0);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it("shares text, strings and labels with the previous version if they are equal", () => {
    let stored: object | undefined;
    const decoder = new ObjectDecoder(undefined, () => stored);
    const labels = { app: "shop", "app.kubernetes.io/version": "1.0" };
    const decode = (resourceVersion: string, phase: string) => {
      const metadata = { name: "a", namespace: "web", resourceVersion, labels, managedFields: [{ manager: "m" }] };
      const body = { spec: { text: "x".repeat(40) }, status: { phase, more: "y".repeat(40) } };
      return decoder.decode(Buffer.from(JSON.stringify({ metadata, ...body })), 0) as { metadata: typeof metadata };
    };
    const first = decode("1", "Pending");
    stored = first;
    const second = decode("2", "Running");

    expect(second.metadata.labels).toBe(first.metadata.labels);
    expect(notedKeyOf(second)).toBe("web/a");
    expect(jsonAt(second, 0)).toBe(jsonAt(first, 0));
    expect(jsonAt(second, 1)).not.toBe(jsonAt(first, 1));
    expect(second).toStrictEqual({
      metadata: { name: "a", namespace: "web", resourceVersion: "2", labels },
      spec: { text: "x".repeat(40) },
      status: { phase: "Running", more: "y".repeat(40) },
    });
  });

  it("receives the parsed, frozen value of an unchanged member", () => {
    let stored: { spec: { text: string }; status: object } | undefined;
    const decoder = new ObjectDecoder(undefined, () => stored);
    const decode = (phase: string) => {
      const body = { spec: { text: "x".repeat(40) }, status: { phase, more: "y".repeat(40) } };
      const object = decoder.decode(Buffer.from(JSON.stringify({ metadata: { name: "a" }, ...body })), 0);
      stored = object as typeof body;
      return stored;
    };
    decode("first");
    const second = decode("second");
    expect(Object.isFrozen(second.spec)).toBe(true);
    const third = decode("third");
    expect(third.spec).toBe(second.spec);
    expect(third.status).toEqual({ phase: "third", more: "y".repeat(40) });
    expect(third.status).not.toBe(second.status);
  });

  it("derives no key if namespace or name are written in an unusual way", () => {
    const decoder = new ObjectDecoder(undefined, () => undefined);
    const keyOf = (metadata: string) => {
      const object = decoder.decode(Buffer.from(`{"metadata":${metadata}}`), 0);
      return object && notedKeyOf(object);
    };
    expect(keyOf('{"name":"a","namespace":"web"}')).toBe("web/a");
    expect(keyOf('{"namespace":"web","name":"a"}')).toBe("web/a");
    expect(keyOf('{"name":"a"}')).toBe("a");
    expect(keyOf('{"name":"\\u0061","namespace":"web"}')).toBeUndefined();
    expect(keyOf(`{"name":"a","annotations":{"b":"${"x".repeat(40)}"},"namespace":"web"}`)).toBeUndefined();
  });
});
