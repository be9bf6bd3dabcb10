import { expect, it } from "vitest";
import {
  decodeDocument,
  encodeDocument,
  envelopeHead,
  envelopeTail,
  fieldHead,
  inEnvelope,
  isProtobuf,
  kindOfDocument,
  watchFrame,
} from "./protobuf-document.ts";

const hex = (buffer: Buffer): string => buffer.toString("hex");

it("puts a message in an envelope", () => {
  const head = "6b387300" + "0a070a02763112016b";
  expect(hex(envelopeHead("v1", "k", 2))).toBe(`${head}1202`);
  expect(hex(envelopeHead("v1", "k", 300))).toBe(`${head}12ac02`);
  expect(hex(envelopeHead("v1", "j", 0))).toBe("6b387300" + "0a070a02763112016a" + "1200");
  expect(hex(envelopeTail)).toBe("1a002200");
  expect(hex(inEnvelope("v1", "k", Buffer.from([1, 2])))).toBe(`${head}120201021a002200`);
  expect(hex(fieldHead(16, 128))).toBe("82018001");
});

it("frames an event of a watch", () => {
  expect(hex(watchFrame("ADDED", Buffer.from([1, 2])))).toBe("0000000d" + "0a054144444544" + "1204" + "0a020102");
});

const configMap = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { b: "c" } };
it("reads what it wrote", () => {
  expect(decodeDocument(encodeDocument(configMap))).toEqual(configMap);
  expect(kindOfDocument(encodeDocument(configMap))).toBe("ConfigMap");
});

it("reads and writes documents of discovery without a version", () => {
  const document = { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
  const back = decodeDocument(encodeDocument(document));
  expect(back).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
  expect(back).not.toHaveProperty("apiVersion");
});

it("writes the items of a list of metadata first in v1beta1", () => {
  const list = (version: string) => ({
    ...{ kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${version}` },
    ...{ metadata: { resourceVersion: "7" }, items: [{ metadata: { name: "a" } }] },
  });
  for (const version of ["v1", "v1beta1"]) {
    const back = decodeDocument(encodeDocument(list(version)));
    expect(back).toMatchObject({ metadata: { resourceVersion: "7" }, items: [{ metadata: { name: "a" } }] });
  }
  const bodyOf = (version: string): string => hex(encodeDocument(list(version))).replace(/^.*4c697374/, "");
  expect(bodyOf("v1beta1")).not.toBe(bodyOf("v1"));
  expect(encodeDocument(list("v1beta1")).indexOf("7")).toBeGreaterThan(
    encodeDocument(list("v1beta1")).lastIndexOf("a"),
  );
});

it.each([
  ["6b387300", true],
  ["6b38730001", true],
  ["6b3873", false],
  ["6b387301", false],
  ["", false],
])("recognizes protobuf by its first bytes: %j", (bytes, is) => {
  expect(isProtobuf(Buffer.from(bytes, "hex"))).toBe(is);
});

it("refuses what is of no built-in type", () => {
  expect(() => encodeDocument(5)).toThrow("type table: no type meta/v1.undefined");
  expect(() => encodeDocument({ apiVersion: "v2", kind: "Pod" })).toThrow("Pod of v2 has no protobuf encoding");
  expect(() => decodeDocument(inEnvelope("v2", "Pod", Buffer.alloc(0)))).toThrow("Pod in v2 is not a built-in kind");
});
