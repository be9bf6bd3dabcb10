import { resolve } from "node:path";
import { expect, it } from "vitest";
import { fencesOf } from "./fences.ts";
import { typeCheck } from "./type-check.ts";

const root = resolve(import.meta.dirname, "../../..");

it("reports the line where a fence does not compile", () => {
  const fence = {
    file: "README.md",
    line: 10,
    code: 'import { Client } from "kubewright";\nconst client: Client = 1;\n',
  };
  expect(typeCheck(root, [fence])).toContainEqual(
    "README.md:12: error TS2322: Type 'number' is not assignable to type 'Client'.",
  );
});

it("compiles a fence with a path at that path, together with existing files and other fences", () => {
  const path = "apps/sdewan-operator/src/kinds/new.ts";
  const imports = 'import { cnfKind } from "../uci/cnf-kind.ts";\nimport { value } from "../api/new.ts";\n';
  const fence = { file: "README.md", line: 10, path, code: `${imports}const kind: string = cnfKind;\nvalue.at(0);\n` };
  const other = {
    file: "README.md",
    line: 20,
    path: "apps/sdewan-operator/src/api/new.ts",
    code: "export const value = 1;\n",
  };
  expect(typeCheck(root, [fence, other]).map((each) => each.slice(0, "README.md:13: error TS2339".length))).toEqual([
    "README.md:13: error TS2322",
    "README.md:14: error TS2339",
  ]);
});

it("compiles the TypeScript of every README", () => {
  const fences = fencesOf(root);
  expect(fences.length).toBeGreaterThan(10);
  expect(typeCheck(root, fences)).toEqual([]);
});
