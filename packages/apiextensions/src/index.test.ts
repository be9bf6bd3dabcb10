import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "CrdController",
    "crdResource",
    "customResourceDefinitionStrategy",
    "installDefinitions",
    "judgeDefinition",
    "judgeObjects",
    "servedVersions",
    "versionNeeds",
  ]);
});
