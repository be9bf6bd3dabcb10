import { expect, it } from "vitest";
import { FieldSet } from "./field-set.ts";
import { printPath } from "./path-element.ts";

const fields = {
  "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
  "f:spec": {
    "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } },
    "f:set": { 'v:"x"': {} },
  },
};

it("decodes and encodes FieldsV1 without loss", () => {
  expect(FieldSet.fromFieldsV1(fields)?.toFieldsV1()).toEqual(fields);
  expect(FieldSet.fromFieldsV1({ "x:y": {} })).toBeUndefined();
});

it("prints paths as in messages", () => {
  const set = FieldSet.fromFieldsV1(fields);
  expect([...(set?.paths() ?? [])].map(printPath)).toEqual([
    ".metadata.labels",
    ".metadata.labels.a",
    '.spec.ports[containerPort=80,protocol="TCP"]',
    '.spec.ports[containerPort=80,protocol="TCP"].name',
    '.spec.set[="x"]',
  ]);
});

it("distinguishes difference from recursive difference", () => {
  const set = FieldSet.of(["f:a"], ["f:a", "f:b"], ["f:c"]);
  expect(set.difference(FieldSet.of(["f:a"])).toFieldsV1()).toEqual({ "f:a": { "f:b": {} }, "f:c": {} });
  expect(set.recursiveDifference(FieldSet.of(["f:a"])).toFieldsV1()).toEqual({ "f:c": {} });
});

it("shares the form of equal sets, and drops forms after twice half a megabyte of text", () => {
  const form = () => FieldSet.of(["f:spec", "f:shared"]).toFieldsV1();
  /** Creates forms of 8,000 characters each, all of them different. */
  const write = (from: number, to: number): void => {
    for (let i = from; i < to; i++) FieldSet.of([`f:${String(i).padStart(7_990, "x")}`]).toFieldsV1();
  };
  const first = form();
  expect(form()).toBe(first);
  write(0, 60);
  expect(form()).toBe(first);
  write(60, 300);
  expect(form()).not.toBe(first);
  expect(form()).toEqual(first);
});
