import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readersLines, usageLines } from "./usage-lines.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "usage-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const lines = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return usageLines(root).map(({ command, text }) => `${command}: ${text}`);
};

it("has what errors of usage are made with, each line once", () => {
  const text = `throw new UsageError(\`--a \${a}: is none\`);\nthrow new UsageError(b ? "one" : "two");\nthrow new UsageError("one");\nthrow new UsageError(unknown());\nthrow new NotSoError("not this");\n`;
  expect(lines("packages/cli/src/a.ts", text)).toEqual([
    "kubewright: --a …: is none",
    "kubewright: one",
    "kubewright: two",
    "kubewright: (as `packages/cli/src/a.ts`, line 4, makes it)",
  ]);
});

it("has the lines of the calls where a function makes the error", () => {
  const text = `const wrong = (problem: string): UsageError => new UsageError(\`\${path}: \${problem}\`);\nthrow wrong("is empty");\nfunction f(refuse: (problem: string) => UsageError) {\n  throw refuse(\`\${x} is long\`);\n}\n`;
  expect(lines("packages/cli/src/a.ts", text)).toEqual(["kubewright: …: is empty", "kubewright: …: … is long"]);
});

it("has a line for each rule that a message may hold", () => {
  const text = `const rules = { a: { says: "is a" }, b: { says: "is b" } };\nthrow new UsageError(\`--\${flag}: \${says}\`);\n`;
  expect(lines("packages/cli/src/a.ts", text)).toEqual(["kubewright: --…: is a", "kubewright: --…: is b"]);
});

it("knows which errors end which command with 2", () => {
  lines("packages/cli/src/flags/parse-pflags.ts", 'throw new FlagError("ends with 1");\n');
  lines("packages/cli/src/flags/parse-go-flags.ts", 'throw new FlagError("ends with 2");\n');
  expect(
    lines(
      "apps/sdewan-operator/src/cli/a.ts",
      'throw new InvalidArgumentError("want a number.");\nthrow new UserError("no");\n',
    ),
  ).toEqual([
    "etcd of `envtest-assets`: ends with 2",
    "sdewan-operator: error: option … argument … is invalid. want a number.",
    "sdewan-operator: no",
  ]);
});

it("has what the reader of command lines says, asked from it", async () => {
  const texts = (await readersLines()).map(({ text }) => text);
  expect(texts).toContain("error: unknown option '--…'");
  expect(texts).toContain("error: option '--port <port>' argument missing");
});
