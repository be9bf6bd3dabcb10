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

it("returns the messages of usage errors, each line once", () => {
  const text = `throw new UsageError(\`--a \${a}: is not one\`);\nthrow new UsageError(b ? "one" : "two");\nthrow new UsageError("one");\nthrow new UsageError(unknown());\nthrow new CommandError("not this");\n`;
  expect(lines("packages/cli/src/a.ts", text)).toEqual([
    "kubewright: --a …: is not one",
    "kubewright: one",
    "kubewright: two",
    "kubewright: (see `packages/cli/src/a.ts`, line 4)",
  ]);
});

it("returns the messages of the calls if a function creates the error", () => {
  const text = `const wrong = (problem: string): UsageError => new UsageError(\`\${path}: \${problem}\`);\nthrow wrong("is empty");\nfunction f(refuse: (problem: string) => UsageError) {\n  throw refuse(\`\${x} is long\`);\n}\n`;
  expect(lines("packages/cli/src/a.ts", text)).toEqual(["kubewright: …: is empty", "kubewright: …: … is long"]);
});

it("returns a line for each rule that a message may contain", () => {
  const text = `const rules = { a: { says: "is a" }, b: { says: "is b" } };\nthrow new UsageError(\`--\${flag}: \${says}\`);\n`;
  expect(lines("packages/cli/src/a.ts", text)).toEqual(["kubewright: --…: is a", "kubewright: --…: is b"]);
});

it("distinguishes which errors make which command exit with 2", () => {
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

it("returns the messages of commander, printed by it", async () => {
  const texts = (await readersLines()).map(({ text }) => text);
  expect(texts).toContain("error: unknown option '--…'");
  expect(texts).toContain("error: option '--port <port>' argument missing");
});
