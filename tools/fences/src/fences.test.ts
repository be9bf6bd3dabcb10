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

it("finds every README's TypeScript to compile as it stands", () => {
  const fences = fencesOf(root);
  expect(fences.length).toBeGreaterThan(10);
  expect(typeCheck(root, fences)).toEqual([]);
});
