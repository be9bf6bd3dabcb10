import { expect, it } from "vitest";
import { encodeDocument } from "./gnostic-encoder.ts";

const hex = (text: string): string => Buffer.from(text).toString("hex");
const field = (tag: string, content: string): string =>
  `${tag}${(content.length / 2).toString(16).padStart(2, "0")}${content}`;
const text = (tag: string, value: string): string => field(tag, hex(value));

it("encodes a document's members with gnostic's numbers", () => {
  const document = { swagger: "2.0", info: { title: "K", version: "1" } };
  expect(encodeDocument(document, "v2").toString("hex")).toBe(
    text("0a", "2.0") + field("12", text("0a", "K") + text("12", "1")),
  );
});

it("encodes types as lists, and extensions as YAML", () => {
  const kinds = [{ group: "", kind: "A", version: "v1" }];
  const document = { definitions: { A: { type: "object", "x-kubernetes-group-version-kind": kinds } } };
  const yaml = text("12", '- group: ""\n  kind: A\n  version: v1\n');
  const extension = text("0a", "x-kubernetes-group-version-kind") + field("12", yaml);
  const schema = field("b201", text("0a", "object")) + field("fa01", extension);
  const entry = text("0a", "A") + field("12", schema);
  expect(encodeDocument(document, "v2").toString("hex")).toBe(field("4a", field("0a", entry)));
});

it("keeps an alternative that is zero, and an empty message for a default that is not a scalar", () => {
  const schemas = { A: { properties: { text: { default: "" }, object: { default: {} } } } };
  const property = (name: string, value: string): string =>
    field("0a", text("0a", name) + field("12", field("0a", field("8a02", value))));
  const properties = property("text", "1a00") + property("object", "");
  const entry = text("0a", "A") + field("12", field("0a", field("fa01", properties)));
  expect(encodeDocument({ components: { schemas } }, "v3").toString("hex")).toBe(
    field("2a", field("0a", field("0a", entry))),
  );
});

it("distinguishes references from schemas and parameters", () => {
  const parameters = [{ $ref: "#/parameters/p" }, { name: "n", in: "path", required: true, type: "string" }];
  const paths = { "/a": { parameters } };
  const reference = field("12", text("0a", "#/parameters/p"));
  const inPath = `0801${text("12", "path")}${text("22", "n")}${text("2a", "string")}`;
  const parameter = field("0a", field("12", field("22", inPath)));
  const item = field("4a", reference) + field("4a", parameter);
  expect(encodeDocument({ paths }, "v2").toString("hex")).toBe(
    field("42", field("12", text("0a", "/a") + field("12", item))),
  );
});
