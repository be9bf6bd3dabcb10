import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkGraph } from "./check.ts";

let root: string;
const write = (path: string, content: string | object): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
};
const member = (name: string, floor: string, dependencies: readonly string[] = []): void => {
  write(`packages/${name}/package.json`, {
    name: `@x/${name}`,
    nx: { tags: [`floor:${floor}`] },
    exports: { ".": "./src/index.ts" },
    dependencies: Object.fromEntries(dependencies.map((each) => [`@x/${each}`, "1.0.0"])),
  });
  write(`packages/${name}/src/index.ts`, "export {};\n");
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "graph-"));
  write("package.json", { name: "root", workspaces: ["packages/*"] });
  member("low", "base");
  member("left", "parts", ["low"]);
  member("right", "parts", ["low"]);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the package graph", () => {
  it("allows a package to import from a lower floor", () => {
    write("packages/left/src/a.ts", 'import "@x/low";\n');
    expect(checkGraph(root)).toEqual([]);
  });

  it("refuses an import from a higher floor", () => {
    write("packages/low/src/a.ts", 'export {};\nimport { x } from "@x/left";\nconsole.log(x);\n');
    expect(checkGraph(root)).toEqual([
      'packages/low/src/a.ts:2: imports @x/left: floor "base" may import from nothing, not from "parts"',
    ]);
  });

  it("refuses an import from the same floor, even of types only", () => {
    write("packages/left/src/a.ts", 'import type { x } from "@x/right";\nexport type y = x;\n');
    expect(checkGraph(root)).toEqual([
      'packages/left/src/a.ts:1: imports @x/right: floor "parts" may import from base, not from "parts"',
    ]);
  });

  it("requires a replacement, a codemod and a warning for a deprecated name", () => {
    const tag = (remark: string) => `/** Does it.\n * @deprecated${remark} */\n`;
    write("packages/low/src/a.ts", `${tag("")}export function former(): void {}\n`);
    write("packages/low/src/b.ts", `${tag(" use Site")}export interface Former {}\n`);
    expect(checkGraph(root)).toEqual([
      "packages/low/src/a.ts: former is deprecated: name the replacement after the tag; add it to packages/cli/src/scaffold/upgraded-files.ts; call warnDeprecated of @kubewright/log where it is used",
      "packages/low/src/b.ts: Former is deprecated: add it to packages/cli/src/scaffold/upgraded-files.ts",
    ]);
  });

  it("accepts complete deprecations", () => {
    write("packages/cli/src/scaffold/upgraded-files.ts", "export const names = `@x/low: former=next Former=Site`;\n");
    write(
      "packages/low/src/a.ts",
      '/** @deprecated use next */\nexport function former(): void {\n  warnDeprecated("former", "next");\n}\n',
    );
    write("packages/low/src/b.ts", "/** @deprecated use Site */\nexport interface Former {}\n");
    expect(checkGraph(root)).toEqual([]);
  });

  it("refuses a dynamic import against the graph", () => {
    write("packages/low/src/a.ts", 'export const later = () => import("@x/left");\n');
    expect(checkGraph(root)).toHaveLength(1);
  });

  it("refuses a dependency against the graph in package.json", () => {
    member("low", "base", ["left"]);
    expect(checkGraph(root)).toEqual([
      'packages/low/package.json: depends on @x/left: floor "base" may import from nothing, not from "parts"',
    ]);
  });

  it("refuses a file that is not exported, an undeclared dependency and a relative import of another package", () => {
    write("packages/left/src/a.ts", 'import "@x/low/src/a.ts";\nimport "../../low/src/index.ts";\n');
    member("right", "parts");
    write("packages/right/src/a.ts", 'import "@x/low";\n');
    expect(checkGraph(root)).toEqual([
      'packages/left/src/a.ts:1: imports @x/low/src/a.ts: @x/low does not export "./src/a.ts"',
      "packages/left/src/a.ts:2: imports ../../low/src/index.ts: leaves the package; import the other package by its name",
      "packages/right/src/a.ts:1: imports @x/low: @x/low is missing from the dependencies in packages/right/package.json",
    ]);
  });

  it("allows the start file of an example, but not its program, to use development dependencies", () => {
    const manifest = { name: "@x/lesson", nx: { tags: ["floor:check"] }, devDependencies: { "@x/low": "0.1.0" } };
    write("packages/lesson/package.json", manifest);
    write("packages/lesson/start.ts", 'import "@x/low";\n');
    write("packages/lesson/main.ts", 'import "@x/low";\n');
    expect(checkGraph(root)).toEqual([
      "packages/lesson/main.ts:1: imports @x/low: @x/low is missing from the dependencies in packages/lesson/package.json",
    ]);
  });

  it("allows an app's tools, but not the app, to use development dependencies", () => {
    const manifest = { name: "@x/shop", nx: { tags: ["floor:app"] }, devDependencies: { "@x/low": "0.1.0" } };
    write("packages/shop/package.json", { ...manifest, kubewright: { rooms: [] } });
    write("packages/shop/tools/bundle.ts", 'import "@x/low";\n');
    write("packages/shop/src/main.ts", 'import "@x/low";\n');
    expect(checkGraph(root)).toEqual([
      "packages/shop/src/main.ts:1: imports @x/low: @x/low is missing from the dependencies in packages/shop/package.json",
    ]);
  });

  it("allows programs for third-party files to use development dependencies", () => {
    const manifest = { name: "@x/left", nx: { tags: ["floor:parts"] }, devDependencies: { "@x/low": "0.1.0" } };
    write("packages/left/package.json", { ...manifest, kubewright: { rooms: [] } });
    write("packages/left/third-party/fetch.ts", 'import "@x/low";\n');
    expect(checkGraph(root)).toEqual([]);
  });

  it("allows a test, but no other file, to import its package by name", () => {
    write("packages/left/src/readme.test.ts", 'import "@x/left";\nimport "@x/left/inner";\n');
    write("packages/left/src/a.ts", 'import "@x/left";\n');
    expect(checkGraph(root)).toEqual([
      "packages/left/src/a.ts:1: imports @x/left: a package must not import itself by its name; import the file",
      'packages/left/src/readme.test.ts:2: imports @x/left/inner: @x/left does not export "./inner"',
    ]);
  });

  it("refuses a package's own index and a package without a floor", () => {
    write("packages/left/src/a.ts", 'import "./index.ts";\n');
    write("packages/lost/package.json", { name: "@x/lost" });
    expect(checkGraph(root)).toEqual([
      "packages/left/src/a.ts:1: imports ./index.ts: a package must not import its own index.ts; import the file",
      expect.stringContaining("packages/lost/package.json: no floor"),
    ]);
  });
});

describe("files that tests read elsewhere", () => {
  const read = (path: string): void => {
    const text = `import { readFileSync } from "node:fs";\nreadFileSync(new URL("${path}", import.meta.url));\n`;
    write("packages/left/src/a.test.ts", text);
  };
  const declare = (nx: object): void =>
    write("packages/left/package.json", {
      ...{ name: "@x/left", dependencies: { "@x/low": "1.0.0" }, exports: { ".": "./src/index.ts" } },
      nx: { tags: ["floor:parts"], ...nx },
    });
  const undeclared = (target: string) => [
    expect.stringContaining(`packages/left/src/a.test.ts:2: reads ${target}, which is not an input of its tests`),
  ];

  it("must be inputs of the tests, unless results are not cached", () => {
    read("../../../docs/guide.md");
    expect(checkGraph(root)).toEqual(undeclared("docs/guide.md"));
    declare({ namedInputs: { elsewhere: ["{workspaceRoot}/docs/**/*"] } });
    expect(checkGraph(root)).toEqual([]);
    declare({ namedInputs: { elsewhere: ["{workspaceRoot}/README.md"] } });
    expect(checkGraph(root)).toEqual(undeclared("docs/guide.md"));
    declare({ targets: { test: { cache: false } } });
    expect(checkGraph(root)).toEqual([]);
  });

  it("may be in the package itself, in its dependencies and in installed packages, but nowhere else", () => {
    for (const path of ["../README.md", "../../low/data.json", "../../../node_modules/.bin/x"]) {
      read(path);
      expect(checkGraph(root)).toEqual([]);
    }
    read("../../right/data.json");
    expect(checkGraph(root)).toEqual(undeclared("packages/right/data.json"));
  });

  it("are detected if the path is joined from several strings", () => {
    write("packages/left/src/a.test.ts", '\nconst root = join(import.meta.dirname, "..", "..", "..");\n');
    expect(checkGraph(root)).toEqual(undeclared("the root of the workspace"));
    write("packages/left/src/a.test.ts", '\nconst page = join(import.meta.dirname, "../../../docs", "a.md");\n');
    expect(checkGraph(root)).toEqual(undeclared("docs/a.md"));
  });
});

describe("time and randomness", () => {
  const uses = (text: string, path = "packages/left/src/index.ts"): readonly string[] => {
    write(path, text);
    return checkGraph(root).filter((violation) => violation.includes(" uses "));
  };

  it.each([
    ["Date.now()", "Date.now", "use Clock.now"],
    ["new Date().toISOString()", "the current Date", "use Clock.now"],
    ["new Date", "the current Date", "use Clock.now"],
    ["Date()", "the current Date", "use Clock.now"],
    ["globalThis.Date.now()", "Date.now", "use Clock.now"],
    ["performance.now()", "performance.now", "use Clock.monotonic"],
    ["process.hrtime.bigint()", "process.hrtime", "use Clock.monotonic"],
    ["Math.random()", "Math.random", "use a Random"],
    ["[1].map(Math.random)", "Math.random", "use a Random"],
    ["crypto.randomUUID()", "crypto.randomUUID", "use a Random"],
    ["globalThis.crypto.getRandomValues(bytes)", "crypto.getRandomValues", "use a Random"],
    ["setTimeout(work, 5)", "setTimeout", "use Clock.after or Clock.sleep"],
    ["globalThis.setInterval(work, 5)", "setInterval", "use Clock.after"],
    ["new Promise(setImmediate)", "setImmediate", "use nextTurn or onNextTurn"],
    ["({ setImmediate })", "setImmediate", "use nextTurn or onNextTurn"],
    ["fetch(url, { signal: AbortSignal.timeout(5) })", "AbortSignal.timeout", "use Clock.after"],
  ])("must not come from %s", (code, what, remedy) => {
    expect(uses(`export const x = 1;\nexport const y = () => ${code};\n`)).toEqual([
      `packages/left/src/index.ts:2: uses ${what} outside of packages/clock; ${remedy}`,
    ]);
  });

  it.each([
    ['import { createHash, randomUUID as id } from "node:crypto";', "randomUUID of node:crypto"],
    ['import { setTimeout as sleep } from "node:timers/promises";', "setTimeout of node:timers/promises"],
    ['import { performance } from "perf_hooks";', "performance of perf_hooks"],
    ['import { hrtime } from "node:process";', "hrtime of node:process"],
  ])("must not be imported by %s", (code, what) => {
    expect(uses(code)).toEqual([expect.stringContaining(`:1: uses ${what} outside of packages/clock; use `)]);
  });

  it("may be used in comments, texts and members with the same names, and for given times", () => {
    const lines = [
      "// setTimeout and Math.random()",
      'export const text = "Date.now()";',
      "export const time = new Date(5);",
      "socket.setTimeout(5);",
      "export interface Socket { setTimeout(ms: number): void; setInterval: number }",
      "export const fake: Socket = { setTimeout() {}, setInterval: clock.now() };",
      "export const parsed = Date.parse(text) + this.#random();",
      'import { createHash } from "node:crypto";',
      'import type { setTimeout } from "node:timers";',
    ];
    expect(uses(lines.join("\n"))).toEqual([]);
  });

  it("may be used in tests, folders named testing, and the package clock", () => {
    member("clock", "base");
    const code = "export const y = Date.now();\n";
    for (const path of ["clock/src/a.ts", "left/src/a.test.ts", "left/src/testing/a.ts", "left/web/a.ts"])
      expect(uses(code, `packages/${path}`)).toEqual([]);
    expect(uses(code, "packages/left/src/deep/a.ts")).toHaveLength(1);
  });
});

it("finds no violation in this workspace", () => {
  expect(checkGraph(resolve(import.meta.dirname, "../../.."))).toEqual([]);
});
