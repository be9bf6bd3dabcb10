import { resolve } from "node:path";
import { expect, it } from "vitest";
import { fencesOf } from "./fences.ts";
import { typeCheck } from "./type-check.ts";

const root = resolve(import.meta.dirname, "../../..");

it("says where a fence does not compile", () => {
  const fence = {
    file: "README.md",
    line: 10,
    code: 'import { Client } from "kubewright";\nconst client: Client = 1;\n',
  };
  expect(typeCheck(root, [fence])).toContainEqual(
    "README.md:12: error TS2322: Type 'number' is not assignable to type 'Client'.",
  );
});

it("compiles a fence that names a file as if it stood there, among those that are there and other fences", () => {
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

it("finds every README's TypeScript to compile as it stands", () => {
  const fences = fencesOf(root);
  expect(fences.length).toBeGreaterThan(10);
  expect(typeCheck(root, fences)).toEqual([]);
});
