import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { apiReports } from "./public-api.ts";

/** A workspace with files of these texts. */
function workspace(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "api-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
const manifest = (name: string, exports: object): string => JSON.stringify({ name, type: "module", exports });
const entry = { types: "./dist/index.d.ts" };

it("prints what each entry exports, by name, without comments and private members", () => {
  const root = workspace({
    "packages/a/package.json": manifest("@x/a", {
      ".": entry,
      "./testing": { types: "./dist/fake.d.ts" },
      "./package.json": "./package.json",
    }),
    "packages/a/dist/index.d.ts": 'export { Thing, type Shape, make as create } from "./thing.js";\n',
    "packages/a/dist/thing.d.ts": `
      /** A thing. */
      export declare class Thing { #private; private readonly secret; readonly name: string; }
      export interface Shape { readonly size?: number | undefined; }
      export declare function make(shape: Shape): Thing;
      export declare const unused: number;`,
    "packages/a/dist/fake.d.ts": 'export declare const fake: import("./thing.js").Shape;\n',
  });
  expect(apiReports(root, ["packages/a"])).toEqual([
    {
      folder: "packages/a",
      text: [
        "## @x/a",
        "",
        "interface Shape {\n    readonly size?: number | undefined;\n}",
        "class Thing {\n    readonly name: string;\n}",
        "create = function make(shape: Shape): Thing;",
        "",
        "## @x/a/testing",
        "",
        'const fake: import("./thing.js").Shape;',
        "",
      ].join("\n"),
    },
  ]);
});

it("names the package of what it exports of others, and types that it mentions without exporting them", () => {
  const root = workspace({
    "packages/a/package.json": manifest("@x/a", { ".": entry }),
    "packages/a/dist/index.d.ts": "export interface Shape {}\n",
    "packages/b/package.json": manifest("@x/b", { ".": entry }),
    "packages/b/dist/index.d.ts": `export { type Shape } from "../../a/dist/index.js";
      export { use, User, type Second } from "./use.js";`,
    "packages/b/dist/use.d.ts": `import type { Shape } from "../../a/dist/index.js";
      interface Options<T> { readonly value: T; readonly shape: Shape; }
      interface First {}
      export type Second = First;
      declare class Base {}
      export declare function use<T>(options: Options<T>): void;
      export declare class User extends Base { options: Options<string>; first: First; }`,
  });
  const [, report] = apiReports(root, ["packages/a", "packages/b"]);
  expect(report?.text).toBe(
    [
      "## @x/b",
      "",
      "type Second = First;",
      "Shape: from @x/a",
      "class User extends Base {\n    options: Options<string>;\n    first: First;\n}",
      "function use<T>(options: Options<T>): void;",
      "",
      "## mentioned, and not exported",
      "",
      "Base: used by User",
      "Options: used by User, use",
      "",
    ].join("\n"),
  );
});

it("leaves private packages out, and refuses packages that are not built", () => {
  const root = workspace({
    "packages/a/package.json": JSON.stringify({ name: "@x/a", private: true, exports: { ".": entry } }),
    "packages/b/package.json": manifest("@x/b", { ".": entry }),
  });
  expect(apiReports(root, ["packages/a"])).toEqual([]);
  expect(() => apiReports(root, ["packages/a", "packages/b"])).toThrow(
    "not built: packages/b/dist/index.d.ts; run npm run build first",
  );
});
