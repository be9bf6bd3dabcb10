import { expect, it } from "vitest";
import { packagesOf } from "./dependents.ts";
import { ImportGraph, nearestFirst } from "./import-graph.ts";
import { Planted } from "./planted.ts";

const files = {
  "packages/a/package.json": JSON.stringify({
    name: "@x/a",
    exports: { ".": { "@kubewright/source": "./src/index.ts", default: "./dist/index.js" }, "./deep": "./src/deep.ts" },
  }),
  "packages/a/src/index.ts": 'export { middle } from "./middle.ts";\nexport type { Never } from "./never.ts";\n',
  "packages/a/src/middle.ts":
    'import {\n  leaf,\n} from "./room/leaf.ts";\nimport type { Never } from "./never.ts";\nexport const middle = leaf;\n',
  "packages/a/src/room/leaf.ts": "export const leaf = 1;\n",
  "packages/a/src/deep.ts": 'export const deep = () => import("./room/leaf.ts");\n',
  "packages/a/src/never.ts": "export type Never = never;\n",
  "packages/a/src/index.test.ts": 'import { middle } from "./index.ts";\n',
  "packages/a/src/middle.test.ts": 'import "./middle.ts";\n',
  "packages/a/src/room/other.test.ts": 'import { middle } from "../middle.ts";\n',
  "packages/a/src/room/leaf.test.ts": 'import { middle } from "../index.ts";\n',
  "packages/a/src/types.test.ts":
    'import type { leaf } from "./room/leaf.ts";\nimport { readFileSync } from "node:fs";\n',
  "tests/t/t.test.ts":
    'import { deep } from "@x/a/deep";\nimport { middle } from "@x/a";\nimport { it } from "vitest";\n',
};
const specs = Object.keys(files).filter((path) => path.endsWith(".test.ts"));
const graphOf = (planted: Planted) => new ImportGraph(planted.root, packagesOf(planted.root));

it("follows imports through index files, packages and calls, but not type imports", () => {
  using planted = new Planted(files);
  expect(Object.fromEntries(graphOf(planted).distancesFrom("tests/t/t.test.ts"))).toEqual({
    "tests/t/t.test.ts": 0,
    "packages/a/src/deep.ts": 1,
    "packages/a/src/index.ts": 1,
    "packages/a/src/room/leaf.ts": 2,
    "packages/a/src/middle.ts": 2,
  });
});

it("sorts the test next to a file first, then by number of imports, then by nearest folder", () => {
  using planted = new Planted(files);
  expect(nearestFirst(graphOf(planted), specs, "packages/a/src/room/leaf.ts")).toEqual([
    "packages/a/src/room/leaf.test.ts",
    "packages/a/src/room/other.test.ts",
    "packages/a/src/middle.test.ts",
    "tests/t/t.test.ts",
    "packages/a/src/index.test.ts",
  ]);
});
