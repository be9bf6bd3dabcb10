import { expect, it } from "vitest";
import { readJsonBody, readJsonText, readYamlText } from "./read-body.ts";

function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return String(error);
  }
  return "";
}

it.each(['{"password": hunter2}', '{"password":"a" hunter2}', "hunter2"])("quotes nothing of %s", (text) => {
  const problem = problemOf(() => readJsonText(text));
  expect(problem).toMatch(/^UnreadableTextError: not valid JSON: (Unexpected|Expected)/);
  expect(problem).not.toContain("hunter");
});

it.each(["json", "yaml"])("reports too many levels in %s", (type) => {
  const read = type === "json" ? readJsonText : readYamlText;
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(problemOf(() => read(nested(500)))).toBe("");
  expect(problemOf(() => read(nested(501)))).toBe("UnreadableTextError: exceeded max depth of 500");
  expect(problemOf(() => read(nested(100_000)))).toBe("UnreadableTextError: exceeded max depth of 500");
  expect(problemOf(() => read("[".repeat(501)))).toBe("UnreadableTextError: exceeded max depth of 500");
  expect(problemOf(() => read("[".repeat(500)))).not.toContain("depth");
  expect(problemOf(() => read(`["${"[".repeat(501)}\\"${"{".repeat(501)}`))).not.toContain("depth");
});

it("reads JSON, and reports repeated members", () => {
  expect(readJsonText('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, repeated: ["a"], yamlDuplicates: [] });
});

const digits = (count: number): string => `1${"0".repeat(count)}`;
it.each([
  ['{"a":[{"b":1e400}]}', "1e400"],
  ["-1.8E+308", "-1.8E+308"],
  ['{"e":2,"f":0.1e310}', "0.1e310"],
  [digits(309), digits(39)],
  [`-${digits(20_000)}`, `-${digits(38)}`],
  [`${digits(300)}e9`, digits(39)],
])("refuses a number in JSON that float64 cannot represent: %.30s", (text, shown) => {
  expect(problemOf(() => readJsonText(text))).toBe(`UnreadableTextError: expected float64, got ${shown}`);
  expect(readJsonBody(text)).toMatchObject({ huge: `expected float64, got ${shown}` });
});

it.each(["1.7976931348623157e308", "1e-400", "0e400", '"1e400"', '{"1e400":"a4e99"}', digits(308)])(
  "accepts %.30s",
  (text) => {
    expect(problemOf(() => readJsonText(text))).toBe("");
    expect(readJsonBody(text).huge).toBeUndefined();
  },
);

const repeatedKey = ['line 1: key "a" already set in map'];
it.each<readonly [text: string, value: unknown, yamlDuplicates: readonly string[]]>([
  ['{"a":1}', { a: 1 }, []],
  [" [1]", [1], []],
  ['{"a":1,"a":2}', { a: 2 }, repeatedKey],
  ["{a: 1, a: 2}", { a: 2 }, repeatedKey],
  ["{a: yes}", { a: true }, []],
  ["a: [1]", { a: [1] }, []],
  ['{"a":1e400}', { a: "1e400" }, []],
  ["", null, []],
])("reads JSON and YAML: %j", (text, value, yamlDuplicates) => {
  expect(readYamlText(text)).toEqual({ value, repeated: [], yamlDuplicates });
});

it.each([
  ["a: b: c", "UnreadableTextError: yaml: mapping values are not allowed in this context"],
  ["{a", "UnreadableTextError: yaml: line 1: did not find expected ',' or '}'"],
])("reports why YAML cannot be read: %s", (text, problem) => {
  expect(problemOf(() => readYamlText(text))).toBe(problem);
});
