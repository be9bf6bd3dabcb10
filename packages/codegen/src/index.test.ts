import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "breakingChanges",
    "clientsetText",
    "crdText",
    "dashboardFiles",
    "documentText",
    "helmChart",
    "inlineImage",
    "inlineProgram",
    "kindFiles",
    "kustomizeFiles",
    "maxInlineBytes",
    "referenceText",
    "sampleObject",
    "versionSuffix",
    "withImage",
  ]);
});
