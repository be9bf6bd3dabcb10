import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { parseOptions } from "./options.ts";
import { Planted } from "./planted.ts";
import { linesOf, scoreLine } from "./report.ts";
import { run } from "./run.ts";

vi.setConfig({ testTimeout: 120_000 }); // each test starts vitest several times

const test = (from: string, body: string): string =>
  `import { expect, it, vi } from "vitest";\nimport * as a from "${from}";\nit("holds", () => { ${body} });\n`;
const tried = (root: string, ...args: string[]) =>
  run({ root, options: parseOptions(["--package", "a", ...args]), equivalents: [], atLeastMs: 2_000 });
const results = (report: Awaited<ReturnType<typeof run>>) =>
  Object.fromEntries(
    report.verdicts.map(({ mutant, result }) => [`${mutant.path.split("/").at(-1)} ${mutant.after}`, result]),
  );

const tested = "export const f = (a: number): boolean => a === 1;\n";
const untested = "export const g = (a: number): boolean => a !== b;\nconst b = {};\n";

it("catches tested mutants, reports untested ones as survived, and writes nothing", async () => {
  using planted = new Planted({
    "packages/a/src/f.ts": tested,
    "packages/a/src/g.ts": untested,
    "packages/a/src/f.test.ts": test(
      "./f.ts",
      "expect(a.f(1)).toBe(true); expect(a.f(2)).toBe(false); expect(a.f(0)).toBe(false);",
    ),
    "packages/a/src/g.test.ts": test("./g.ts", "a.g(1);"),
  });
  const report = await tried(planted.root);
  expect(results(report)).toEqual({
    "f.ts export const f = (a: number): boolean => a !== 1;": "caught",
    "f.ts export const f = (a: number): boolean => a === 2;": "caught",
    "g.ts export const g = (a: number): boolean => a === b;": "survived",
  });
  expect(linesOf(report)).toEqual([
    "survived: packages/a/src/g.ts:1  export const g = (a: number): boolean => a !== b; → export const g = (a: number): boolean => a === b;",
    "caught 2 of 3 (66 %)",
  ]);
  expect(readFileSync(join(planted.root, "packages/a/src/f.ts"), "utf8")).toBe(tested);
});

it("runs tests of dependent packages if a package's own tests miss a mutant", async () => {
  using planted = new Planted({
    "packages/a/src/g.ts": untested,
    "tests/t/g.test.ts": test("../../packages/a/src/g.ts", "expect(a.g(1)).toBe(true);"),
  });
  expect(scoreLine(await tried(planted.root))).toBe("caught 0 of 1 (0 %)");
  const thorough = await tried(planted.root, "--all-tests");
  expect(thorough.verdicts).toMatchObject([{ result: "caught", by: expect.stringContaining("g.test.ts") }]);
});

it("runs only tests that reach a mutant, nearest first, and remembers them", async () => {
  using planted = new Planted({
    "packages/a/src/g.ts": untested,
    "packages/a/src/far.ts": 'export { g } from "./g.ts";\n',
    "packages/a/src/g.test.ts": test("./g.ts", "if (a.g === undefined) a.g(1);"),
    "packages/a/src/far.test.ts": test("./far.ts", "expect(a.g(1)).toBe(true);"),
  });
  const recordsFolder = join(planted.root, "records");
  const options = parseOptions(["--package", "a"]);
  const once = () => run({ root: planted.root, options, equivalents: [], recordsFolder });
  const by = "src/far.test.ts: holds";
  expect((await once()).verdicts).toMatchObject([{ result: "caught", by }]);
  expect(readdirSync(recordsFolder)).toHaveLength(2);
  expect((await once()).verdicts).toMatchObject([{ result: "caught", by }]);
  planted.write("packages/a/src/far.test.ts", test("./far.ts", "expect(a.g(1)).toBe(false);"));
  const again = await once();
  expect([scoreLine(again), again.red]).toEqual(["caught 0 of 1 (0 %)", ["src/far.test.ts: holds"]]);
});

it("runs tests up to the given number of seconds, and at least one", async () => {
  using planted = new Planted({
    "packages/a/src/g.ts": untested,
    "packages/a/src/g.test.ts": test("./g.ts", "a.g(1);"),
    "packages/a/src/h.test.ts": test("./g.ts", "expect(a.g(1)).toBe(true);"),
  });
  const cutShort = await tried(planted.root, "--seconds", "0.0001");
  expect(cutShort.verdicts).toMatchObject([{ result: "cut short", files: { shown: 1, of: 2 } }]);
  expect(linesOf(cutShort)).toEqual([
    expect.stringMatching(/^cut short, 1 of 2 test files: packages\/a\/src\/g.ts:1 /),
    "caught 0 of 0, 1 cut short",
  ]);
  expect(scoreLine(await tried(planted.root))).toBe("caught 1 of 1 (100 %)");
});

it("continues if all tests of a file are skipped, and does not use the regions of another file", async () => {
  const skipped = test("./g.ts", "a.g(1);").replace("it(", "it.skip(");
  using planted = new Planted({
    "packages/a/src/g.ts": untested,
    "packages/a/src/g.test.ts": skipped,
    "packages/a/src/h.test.ts": test("./g.ts", "a.g(1);"),
    "packages/a/src/i.test.ts": skipped,
  });
  const recordsFolder = join(planted.root, "records");
  const report = await run({
    root: planted.root,
    options: parseOptions(["--package", "a"]),
    equivalents: [],
    recordsFolder,
  });
  expect(scoreLine(report)).toBe("caught 0 of 1 (0 %)");
  const records = readdirSync(recordsFolder).map((file) => readFileSync(join(recordsFolder, file), "utf8"));
  const reached = records.map((text) => (JSON.parse(text) as { record: { reached: object } }).record.reached);
  expect(reached.map((one) => Object.keys(one)).toSorted()).toEqual([[], [], ["packages/a/src/g.ts"]]);
});

it("counts an endless loop as caught and continues", async () => {
  using planted = new Planted({
    "packages/a/src/f.ts": "export function f(a: { left: number }): void {\n  while (a.left !== 5) a.left -= 1;\n}\n",
    "packages/a/src/f.test.ts": test("./f.ts", "const of = { left: 8 }; a.f(of); expect(of.left).toBe(5);"),
  });
  const report = await tried(planted.root);
  expect(report.verdicts.map(({ result }) => result)).toContain("timeout");
  expect(report.verdicts.map(({ result }) => result)).not.toContain("survived");
  expect(scoreLine(report)).toMatch(/^caught 4 of 4 \(100 %\), \d of them by timeout$/);
});

it("skips tests that fail without a mutant", async () => {
  using planted = new Planted({
    "packages/a/src/f.ts": tested,
    "packages/a/src/f.test.ts": test("./f.ts", "expect(a.f(1)).toBe(false);"),
  });
  await expect(tried(planted.root)).rejects.toThrow("without a mutant: src/f.test.ts: holds");
  planted.write("packages/a/src/other.test.ts", test("./f.ts", "expect(a.f(1)).toBe(true);"));
  const report = await tried(planted.root);
  expect(scoreLine(report)).toMatch(/^caught [12] of 2/);
  expect(linesOf(report)).toContain("skipped because it fails without a mutant: src/f.test.ts: holds");
});

it("stops in time and reports the mutants not tried", async () => {
  using planted = new Planted({ "packages/a/src/f.ts": tested, "packages/a/src/f.test.ts": test("./f.ts", "a.f(1);") });
  expect(scoreLine(await tried(planted.root, "--minutes", "0.00001"))).toBe(
    "caught 0 of 0, 2 not tried because time ran out",
  );
});

it("counts equivalent mutants separately, and refuses too many of them", async () => {
  const many = Array.from({ length: 30 }, (_, i) => `export const f${i} = (a: number) => a !== ${i};\n`).join("");
  using planted = new Planted({ "packages/a/src/f.ts": many, "packages/a/src/f.test.ts": test("./f.ts", "") });
  const equivalent = (i: number) => ({
    path: "packages/a/src/f.ts",
    before: `export const f${i} = (a: number) => a !== ${i};`,
    after: `export const f${i} = (a: number) => a === ${i};`,
    reason: "It is all the same.",
  });
  const options = { ...parseOptions(["--package", "a", "--count", "1000"]), minutes: 0.00001 };
  const of = (count: number) =>
    run({ root: planted.root, options, equivalents: Array.from({ length: count }, (_, i) => equivalent(i)) });
  const report = await of(4);
  expect([report.excused.length, report.verdicts.length, report.stale.length]).toEqual([4, 56, 0]);
  await expect(of(5)).rejects.toThrow("5 of 90 mutants are listed as equivalent; the limit is 5 %");
  expect((await run({ root: planted.root, options, equivalents: [equivalent(99)] })).stale).toHaveLength(1);
});
