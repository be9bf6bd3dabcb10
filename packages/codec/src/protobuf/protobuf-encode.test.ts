import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { decodeDocument, encodeDocument, inEnvelope, watchFrame } from "./protobuf-document.ts";
import { encodeMessage } from "./protobuf-encode.ts";

interface Recorded {
  readonly name: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly protobuf: string;
}

/** What kube-apiserver answered when it was asked for the same thing in both formats, one a line; at last an event of a watch. */
const answers = readFileSync(new URL("./testing/protobuf-answers.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);
const recorded = answers.slice(0, -1);

describe("what kube-apiserver answered", () => {
  it.each(recorded)("$name is written byte for byte", ({ json, protobuf }) => {
    expect(encodeDocument(json).toString("latin1")).toBe(Buffer.from(protobuf, "base64").toString("latin1"));
  });

  it.each(recorded)("$name is read back", ({ json, protobuf }) => {
    const back = decodeDocument(Buffer.from(protobuf, "base64"));
    expect(withoutEmpty(typed(back))).toEqual(withoutEmpty(typed(json)));
  });

  it("an event of a watch is written byte for byte", () => {
    const { json: event, protobuf } = answers.at(-1) ?? {};
    expect(watchFrame(String(event?.type), encodeDocument(event?.object)).toString("base64")).toBe(protobuf);
  });
});

/** On the wire items have no type of their own. */
const typed = ({ items, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  rest.kind === "PartialObjectMetadataList"
    ? { ...rest, items: (items as readonly object[]).map((item) => ({ ...item, kind: "", apiVersion: "" })) }
    : { ...rest, items };

/** Go prints some empty lists and maps as null; protobuf has neither. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(
    ([, member]) => member !== null && !(Array.isArray(member) && member.length === 0),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
}

const messageOf = (kind: string, value: object): string => {
  const schema = builtinSchema({ group: "", version: "v1", kind });
  if (!schema) throw new Error(kind);
  return encodeMessage(value, schema).toString("hex");
};

it("writes what Go has no pointer for even where there is nothing", () => {
  expect(messageOf("ConfigMap", {})).toBe("0a100a0012001a0022002a00320038004200");
  expect(messageOf("ConfigMap", { immutable: false }).slice(-4)).toBe("2000");
});

it("sorts keys as Go does, by bytes", () => {
  const written = Buffer.from(messageOf("ConfigMap", { data: { "\u{1f600}": "", "～": "", a: "" } }), "hex").toString();
  expect(written.indexOf("a")).toBeLessThan(written.indexOf("～"));
  expect(written.indexOf("～")).toBeLessThan(written.indexOf("\u{1f600}"));
});

it("writes messages of any size", () => {
  const data = { large: "ü".repeat(300_000), small: "x" };
  const schema = builtinSchema({ group: "", version: "v1", kind: "ConfigMap" });
  if (!schema) throw new Error("ConfigMap");
  const document = inEnvelope("v1", "ConfigMap", encodeMessage({ data }, schema));
  expect(decodeDocument(document)).toMatchObject({ data });
});

it("writes integers of 64 bits", () => {
  const generations = [-1, 2 ** 53 - 1, -(2n ** 63n), 2n ** 63n - 1n, 0];
  for (const generation of generations) {
    const document = encodeDocument({ apiVersion: "v1", kind: "ConfigMap", metadata: { generation } });
    expect(decodeDocument(document)).toMatchObject({ metadata: generation === 0 ? {} : { generation } });
  }
});

it("refuses what has no form in protobuf", () => {
  expect(() => encodeDocument({ apiVersion: "example.com/v1", kind: "Site" })).toThrow(
    "Site of example.com/v1 has no form in protobuf",
  );
});
