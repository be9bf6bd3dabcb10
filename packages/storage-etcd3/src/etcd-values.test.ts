import { expect, test } from "vitest";
import { decodeValue, encodeValue } from "./etcd-values.ts";

test("a value is the object's JSON without its resource version, which is the revision", () => {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", resourceVersion: "7" },
    data: { a: "b" },
  };
  const value = encodeValue(object);
  expect(JSON.parse(value.toString())).toEqual({ ...object, metadata: { name: "a" } });
  expect(decodeValue(value, 9)).toEqual({ ...object, metadata: { name: "a", resourceVersion: "9" } });
});

test("reads protobuf of a built-in kind as kube-apiserver would print it", () => {
  const namespace =
    "6b3873000a0f0a02763112094e616d657370616365121a0a120a0274311200" +
    "1a0022002a00320038004200" +
    "12001a020a001a002200";
  expect(decodeValue(Buffer.from(namespace, "hex"), 3)).toEqual({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "t1", resourceVersion: "3" },
    spec: {},
    status: {},
  });
});

test.each(["", "text", "[]", "{}"])("%j is not an object", (text) => {
  expect(() => decodeValue(Buffer.from(text), 1)).toThrow();
});
