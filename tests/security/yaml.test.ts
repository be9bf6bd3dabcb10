import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackedPlane } from "./attacked-plane.ts";

// The server's only thread parses a YAML body. Each of these bodies blocked it for seconds, or forever.
const configMaps = "/api/v1/namespaces/default/configmaps";
const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";
const maxWaitMs = 5_000;
let plane: AttackedPlane;

beforeAll(async () => {
  plane = await AttackedPlane.start();
});
afterAll(() => plane.stop());

const posted = (text: string) => plane.attack("POST", configMaps, text, "application/yaml");
const applied = (text: string) =>
  plane.attack("PATCH", `${configMaps}/x?fieldManager=a`, text, "application/apply-patch+yaml");

const ways = [
  ["a body", posted],
  ["an apply patch", applied],
] as const;

describe.each(ways)("%s of YAML", (_, send) => {
  const tenfold = Array.from({ length: 9 }, (_, i) =>
    i === 0 ? "a0: &a0 [x]" : `a${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`,
  );
  const double = Array.from({ length: 40 }, (_, i) =>
    i === 0 ? "a0: &a0 {k0: x}" : `a${i}: &a${i} {k0: *a${i - 1}, k1: *a${i - 1}}`,
  );

  it.each([
    ["450 bytes of aliases that expand to a billion values", tenfold.join("\n"), "excessive aliasing"],
    ["mappings that double forty times", double.join("\n"), "excessive aliasing"],
    ["a list in itself", "a: &a [*a]", "anchor 'a' value contains itself"],
    ["a mapping merged into itself", "a: &a\n  <<: *a\n", "anchor 'a' value contains itself"],
    ["a hundred thousand brackets", `data: ${"[".repeat(100_000)}`, "exceeded max depth of 10000"],
    ["a hundred thousand question marks", `data:\n${"  ? ".repeat(100_000)}`, "exceeded max depth of 10000"],
  ])("is refused: %s", async (_, text, message) => {
    const { status, body, worstWaitMs } = await send(head + text);
    expect(body.message).toContain(message);
    expect(status).toBe(400);
    expect(worstWaitMs).toBeLessThan(maxWaitMs);
  });

  it.each([
    ["five thousand anchors", `a: [${Array.from({ length: 5_000 }, (_, i) => `&x${i} 1`).join(",")}]`],
    ["a megabyte of anchors without values", `a: ${"&a ".repeat(300_000)}`],
    ["a megabyte of colons", `a: ${": ".repeat(500_000)}`],
    ["a megabyte of commas", `a: [${",".repeat(1_000_000)}`],
    ["a megabyte of lists within each other", `a: ${"[".repeat(9_000)}${"]".repeat(9_000)}`],
    ["a megabyte of repeated keys", "a: 1\n".repeat(200_000)],
    ["a megabyte of digits", `a: ${"9".repeat(1_000_000)}`],
    ["a megabyte of digits and colons", `a: ${"1:".repeat(500_000)}1`],
  ])("delays nobody: %s", async (_, text) => {
    const { status, worstWaitMs } = await send(head + text);
    expect(status).toBeLessThan(600);
    expect(worstWaitMs).toBeLessThan(maxWaitMs);
    expect(plane.isRunning).toBe(true);
  });
});

it("names such as __proto__ in YAML are only data", async () => {
  const text = `${head.replace("name: x", "name: proto")}data:\n  __proto__: hello\n  constructor: there\n`;
  const { status, text: answer } = await posted(text);
  expect(status).toBe(201);
  expect(answer).toContain('"constructor":"there"');
  const other = await plane.call("GET", "/api/v1/namespaces/default");
  expect(other.text).not.toContain("hello");
});
