import { expect, it } from "vitest";
import { readJsonText, readYamlText } from "./read-body.ts";

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
  expect(problem).toMatch(/^UnreadableText: not valid JSON: (Unexpected|Expected)/);
  expect(problem).not.toContain("hunter");
});

it.each(["json", "yaml"])("tells of too many levels, whatever %s reads them", (type) => {
  const read = type === "json" ? readJsonText : readYamlText;
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(problemOf(() => read(nested(500)))).toBe("");
  expect(problemOf(() => read(nested(501)))).toBe("UnreadableText: exceeded max depth of 500");
  expect(problemOf(() => read(nested(100_000)))).toBe("UnreadableText: exceeded max depth of 500");
  expect(problemOf(() => read("[".repeat(501)))).toBe("UnreadableText: exceeded max depth of 500");
  expect(problemOf(() => read("[".repeat(500)))).not.toContain("depth");
  expect(problemOf(() => read(`["${"[".repeat(501)}\\"${"{".repeat(501)}`))).not.toContain("depth");
});
