import { expect, it } from "vitest";
import { restoreMetadata } from "./conversion-check.ts";

const original = {
  apiVersion: "example.com/v1",
  kind: "Host",
  metadata: { name: "a", namespace: "ns", uid: "u", labels: { a: "1" }, annotations: { b: "2" }, generation: 3 },
};
const converted = { ...original, apiVersion: "example.com/v2", spec: { x: 1 } };
const wanted = { what: "conversion webhook for X", apiVersion: "example.com/v2" };

it("takes only labels and annotations from the answer's metadata", () => {
  const metadata = { name: "a", namespace: "ns", uid: "u", labels: { c: "3" }, generation: 9, finalizers: ["x"] };
  expect(restoreMetadata(original, { ...converted, metadata }, wanted)).toEqual({
    ...converted,
    metadata: { name: "a", namespace: "ns", uid: "u", labels: { c: "3" }, generation: 3 },
  });
  expect(original.metadata.labels).toEqual({ a: "1" });
});

const single = "conversion webhook for X returned invalid object: ";
const first = "conversion webhook for X returned invalid object at index 0: ";
const meta = "conversion webhook for X returned invalid metadata: ";
it.each<readonly [object, string]>([
  [{ apiVersion: "example.com/v3" }, `${first}invalid groupVersion (expected example.com/v2, received example.com/v3)`],
  [{ apiVersion: undefined }, `${first}invalid groupVersion (expected example.com/v2, received )`],
  [{ kind: "Other" }, `${first}invalid kind (expected Host, received Other)`],
  [{ metadata: { ...original.metadata, name: "b" } }, `${single}must have the same name: a != b`],
  [{ metadata: { ...original.metadata, namespace: "other" } }, `${single}must have the same namespace: ns != other`],
  [{ metadata: { ...original.metadata, uid: "v" } }, `${single}must have the same UID: u != v`],
  [{ metadata: { ...original.metadata, name: 1 } }, `${single}must have the same name: a != `],
  [{ metadata: 5 }, `${single}must have the same name: a != `],
  ...(
    [
      [[], "invalid metadata.labels of type []interface {} in converted object"],
      ["x", "invalid metadata.labels of type string in converted object"],
      [true, "invalid metadata.labels of type bool in converted object"],
      [1, "invalid metadata.labels of type int64 in converted object"],
      [1.5, "invalid metadata.labels of type float64 in converted object"],
      [{ a: 1 }, "metadata.labels[a] must be a string, but is int64 in converted object"],
      [{ a: null }, "metadata.labels[a] must be a string, but is <nil> in converted object"],
      [{ a: {} }, "metadata.labels[a] must be a string, but is map[string]interface {} in converted object"],
    ] as const
  ).map(([labels, text]) => [{ metadata: { ...original.metadata, labels } }, `${meta}${text}`] as const),
])("rejects an answer with %j", (change, message) => {
  expect(() => restoreMetadata(original, { ...converted, ...change }, wanted)).toThrow(message);
});

it("names the position of one of several objects", () => {
  const other = (change: object) => () =>
    restoreMetadata(original, { ...converted, ...change }, { ...wanted, index: 2 });
  expect(other({ kind: "Other" })).toThrow("returned invalid converted object at index 2: invalid kind");
  expect(other({ metadata: {} })).toThrow(
    "returned invalid converted object at index 2: must have the same name: a != ",
  );
  expect(other({ metadata: { ...original.metadata, labels: [] } })).toThrow(
    "returned invalid metadata in object at index 2: invalid metadata.labels",
  );
});

it("drops labels and annotations that are null or absent", () => {
  const metadata = { ...original.metadata, labels: null, annotations: undefined };
  const result = restoreMetadata(original, { ...converted, metadata }, wanted).metadata;
  expect([Object.hasOwn(result, "labels"), Object.hasOwn(result, "annotations")]).toEqual([false, false]);
});

it("validates labels and annotations that the webhook changed", () => {
  const bad = { "not a key!": "x" };
  const answer = (field: string, value: object) => ({
    ...converted,
    metadata: { ...original.metadata, [field]: value },
  });
  expect(() => restoreMetadata(original, answer("labels", bad), wanted)).toThrow(
    /invalid metadata: metadata\.labels: Invalid value/,
  );
  expect(() => restoreMetadata(original, answer("labels", { a: "not a value!" }), wanted)).toThrow(/invalid metadata/);
  expect(() => restoreMetadata(original, answer("annotations", bad), wanted)).toThrow(
    /metadata\.annotation: Invalid value/,
  );
  expect(
    restoreMetadata(original, answer("annotations", { "UPPER/case": "x y" }), wanted).metadata.annotations,
  ).toEqual({
    "UPPER/case": "x y",
  });
  for (const field of ["labels", "annotations"]) {
    const before = { ...original, metadata: { ...original.metadata, [field]: bad } };
    expect(restoreMetadata(before, answer(field, bad), wanted).metadata).toMatchObject({ [field]: bad });
    expect(() => restoreMetadata(before, answer(field, { ...bad, c: "1" }), wanted)).toThrow(/invalid metadata/);
    expect(() => restoreMetadata(before, answer(field, { "not a key?": "x" }), wanted)).toThrow(/invalid metadata/);
  }
});
