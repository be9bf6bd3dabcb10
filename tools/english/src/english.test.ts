import { expect, it } from "vitest";
import { proseOf } from "./prose.ts";
import { findingsIn } from "./rules.ts";

it("reads comments and strings of TypeScript, with their lines, and no code", () => {
  const text = [
    "/**",
    " * Says what it is. `is so` is code,",
    " * over two lines.",
    " *",
    " * @param a tells nothing",
    " * @see whoever pkg/told",
    " */",
    "const told = 1; // one line",
    "  // and another",
    'throw new Error("no luck\\nhere");',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of the text
    "const text = `a ${told ? { told } : 1} b`;",
    'const one = "told";',
    'const pattern = /["\'] told "/;',
    "const half = a / b; // c / d",
  ].join("\n");
  expect(proseOf("a.ts", text)).toEqual([
    { line: 2, text: "Says what it is. `…` is code, over two lines." },
    { line: 5, text: "@param a tells nothing" },
    { line: 8, text: "one line and another" },
    { line: 10, text: "no luck here" },
    { line: 11, text: "a … b" },
    { line: 14, text: "c / d" },
  ]);
});

it("reads paragraphs, items and rows of Markdown, and no code", () => {
  const text =
    "---\ntitle: told\n---\n# A heading here\n\nOne `told`\nparagraph.\n- an item\n| a row |\n\n```ts\ntold();\n```\n\n<!-- told -->\nthe end\n";
  expect(proseOf("a.md", text).map(({ line, text: one }) => `${line} ${one}`)).toEqual([
    "4 # A heading here",
    "6 One `…` paragraph.",
    "8 - an item",
    "9 | a row |",
    "16 the end",
  ]);
});

it.each([
  "What is known so is the cache.",
  "It works: Who writes an older version is answered.",
  "Missing permissions are told before.",
  "It is said before it fails.",
  '"2m" is no period',
  "The name is none of ours.",
  "That it is so.",
  "break objects that are there",
  "It is there no longer.",
  "By which each delay is longer.",
  "What is to be done",
  "A composite comes to rules.",
  "beside the source",
  "finding what ails",
  "Whoever calls it waits.",
])("finds %s", (text) => {
  expect(findingsIn(text)).not.toEqual([]);
});

it.each([
  "What is a controller?",
  "Who may do what is described in the roles?",
  "There is no other way, and it is no longer needed.",
  "It is so small that nobody notices.",
  "When it comes to an end, it stops.",
  "Until when is it valid?",
  "In which package is it?",
])("lets pass %s", (text) => {
  expect(findingsIn(text)).toEqual([]);
});

it("leaves exceptions alone", () => {
  expect(findingsIn("the server was told to stop", ["was told to stop"])).toEqual([]);
  expect(findingsIn("it was told to go, and was told to stop", ["was told to stop"])).toHaveLength(1);
});
