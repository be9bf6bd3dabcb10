import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readYaml } from "./yaml-reader.ts";

const read = (text: string): unknown => readYaml(text).value;

function problemOf(text: string): string {
  try {
    readYaml(text);
    return "";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "";
  }
}

describe("a YAML text", () => {
  it.each([
    ["a: 1\nb:\n  c: [x, 'y', \"z\"]\n", { a: 1, b: { c: ["x", "y", "z"] } }],
    ["a:\n- b\n- c: d\n  e: f\n- - g\n", { a: ["b", { c: "d", e: "f" }, ["g"]] }],
    ["{a: {b: [1, 2,], c}, ? d : e, f: }", { a: { b: [1, 2], c: null }, d: "e", f: null }],
    ["[a: b, ? c, d: ]", [{ a: "b" }, { c: null }, { d: null }]],
    ["a: |\n  x\n   y\n\n  z\nb: >-\n  x\n  y\n\n  z\nc: |+\n  x\n\n", { a: "x\n y\n\nz\n", b: "x y\nz", c: "x\n\n" }],
    ["a: |2\n   x\n", { a: " x\n" }],
    ["a: >\n  x\n    y\n  z\n", { a: "x\n  y\nz\n" }],
    ["a: b\n  c\n\n  d # e\n", { a: "b c\nd" }],
    ['a: "b\n  c\\\n  d\\u00e9\\x41\\n"', { a: "b cdéA\n" }],
    ["a: 'it''s\n\n  so'", { a: "it's\nso" }],
    ["? a\n: b\n? - c\n", undefined],
    ["a: &x {b: 1}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
    ["a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
    ["a: {c: 3, <<: [{b: 1, c: 4}, {b: 2}]}", { a: { b: 1, c: 4 } }],
    ["y: [yes, no, on, off, ~, null, True, maybe]", { true: [true, false, true, false, null, null, true, "maybe"] }],
    ["[0x1f, 0b11, 017, 0o17, 08, 1_000, +5, -3]", [31, 3, 15, 15, 8, 1000, 5, -3]],
    ["[.5, 1.5e3, 1., 2001-01-01, 1:30, 1.2.3]", [0.5, 1500, 1, "2001-01-01", "1:30", "1.2.3"]],
    ["[9007199254740993, 18446744073709551615, 18446744073709551616]", [9007199254740993n, 2n ** 64n - 1n, 2 ** 64]],
    ["[!!str 1, !!float 1, !!binary aGk=, ! 1, !x y, !!int '7']", ["1", 1, "hi", "1", "y", 7]],
    ["%YAML 1.1\n%TAG !e! tag:yaml.org,2002:\n--- !e!str 1\n", "1"],
    ["--- a\n--- b\n", "a"],
    ["# nothing\n", null],
    ["", null],
    ["\ufeffa: b", { a: "b" }],
    ["a: b\r\nc: d\r\n", { a: "b", c: "d" }],
    ["1: a\n1.5: b\ntrue: c\n", { 1: "a", 1.5: "b", true: "c" }],
  ])("is parsed like upstream: %j", (text, value) => {
    if (value === undefined) expect(problemOf(text)).toContain("invalid map key");
    else expect(read(text)).toEqual(value);
  });

  it.each([
    ["a: *b", "unknown anchor 'b' referenced"],
    ["a: &a [*a]", "anchor 'a' value contains itself"],
    ["a: &a\n  <<: *a\n", "anchor 'a' value contains itself"],
    ["a: b: c", "mapping values are not allowed in this context"],
    ["a:\n\tb: 1", "line 2: found character that cannot start any token"],
    ['"abc', "found unexpected end of stream"],
    ["a: - b", "block sequence entries are not allowed in this context"],
    ["a: [b", "line 1: did not find expected ',' or ']'"],
    ["a: {b", "line 1: did not find expected ',' or '}'"],
    ["a: b\n c\nd\ne: f", "line 4: could not find expected ':'"],
    ["- a\nb: c", "line 1: did not find expected '-' indicator"],
    ["a: @b", "found character that cannot start any token"],
    ["a: !!int b", "cannot decode !!str `b` as a !!int"],
    ["? [a]\n: b", "invalid map key: expected text, a number or a boolean, got array"],
    ["<<: a", "map merge requires map or sequence of maps as the value"],
    ["a: \x01", "control characters are not allowed"],
    ["%YAML 2.0\n--- a", "found incompatible YAML document"],
    ["a: |\n\tb", "line 2: found a tab character where an indentation space is expected"],
    ["a: |0\n b", "found an indentation indicator equal to 0"],
    ["a: !x!y z", "found undefined tag handle"],
  ])("is rejected with upstream's message: %j", (text, message) => {
    expect(problemOf(text)).toBe(`YamlError: ${message}`);
  });

  it("reports repeated keys with the line of the later value", () => {
    expect(readYaml("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n")).toEqual({
      value: { a: 3, b: 2, c: { d: 2 } },
      duplicates: ['line 3: key "a" already set in map', 'line 4: key "d" already set in map'],
    });
  });

  it("keeps names such as __proto__ as data", () => {
    const value = read(
      "__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}\na: &a {__proto__: b}\nc: {<<: *a}\n",
    );
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor", "a", "c"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.stringify(value)).toContain('"c":{"__proto__":"b"}');
  });

  it("gives each alias its own copy of the value", () => {
    const { a, b } = read("a: &x {c: [1]}\nb: *x") as { a: { c: number[] }; b: { c: number[] } };
    a.c.push(2);
    expect(b).toEqual({ c: [1] });
  });

  it("writes text that another reader parses to the same value", () => {
    const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value, undefined, 1).replace(/[\x7f-\x9f\ud800-\udfff\ufffe\uffff]/gu, "?");
        fc.pre(!/\d{16}/.test(text)); // large integers are bigint here
        expect(read(text)).toEqual(parse(text));
      }),
    );
  });
});

describe("limits", () => {
  const lines = Array.from({ length: 9 }, (_, i) =>
    i === 0 ? "a0: &a0 [x]" : `a${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`,
  );
  const wide = Array.from({ length: 1_000 }, (_, i) => `k${i}: 1`).join(", ");

  it.each([
    ["aliases of aliases", lines.join("\n")],
    [
      "aliases that double",
      Array.from({ length: 64 }, (_, i) => `a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`)
        .join("\n")
        .replace("*a-1, *a-1", "1"),
    ],
    ["a mapping merged again and again", `b: &b {${wide}}\na: {${"<<: *b, ".repeat(2_000)}z: 1}`],
  ])("reject %s", (_, text) => {
    const start = performance.now();
    expect(problemOf(text)).toBe("YamlError: document contains excessive aliasing");
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it.each([
    ["lists in brackets", "[".repeat(200_000)],
    ["mappings in brackets", "{a: ".repeat(200_000)],
    ["lists by indentation", "- ".repeat(200_000)],
    ["keys by indentation", "? ".repeat(200_000)],
  ])("reject %s that nest too deeply", (_, text) => {
    expect(problemOf(text)).toBe("YamlError: exceeded max depth of 10000");
  });

  it("permit as many levels as upstream", () => {
    expect(problemOf(`${"[".repeat(10_000)}${"]".repeat(10_000)}`)).toBe("");
  });

  const texts: readonly (readonly [string, string])[] = [
    ["anchors without values", "&a "],
    ["colons", ": "],
    ["exclamation marks", "!"],
    ["empty entries", "[,"],
    ["question marks in brackets", "{? "],
    ["list entries", "- a\n"],
    ["repeated keys", "a: 1\n"],
    ["line breaks", "\n"],
    ["comments", "#\n"],
    ["directives", "%TAG ! x\n"],
    ["documents", "---\n"],
    ["anchored keys", "&a a: 1\n"],
    ["aliases", "*a "],
    ["pairs in one line", "[a: b, "],
  ];
  it.each(texts)("parse 300 KB of %s in linear time", (_, piece) => {
    const start = performance.now();
    problemOf(piece.repeat(300_000 / piece.length));
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it.each([
    ["anchors", `[${Array.from({ length: 20_000 }, (_, i) => `&x${i} 1`).join(",")}]`],
    ["a quoted text of many lines", `"${"\n".repeat(300_000)}"`],
    ["commas in brackets", `[${",".repeat(300_000)}`],
    ["digits", `a: ${"9".repeat(300_000)}`],
    ["colons between digits", `a: ${"1:".repeat(150_000)}1`],
    ["tag prefixes", `${Array.from({ length: 20_000 }, (_, i) => `%TAG !x${i}! y\n`).join("")}--- a`],
  ])("parse many %s in linear time", (_, text) => {
    const start = performance.now();
    problemOf(text);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
