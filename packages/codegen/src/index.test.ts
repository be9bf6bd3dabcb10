import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "RefusedDefinitionError",
    "breakingChanges",
    "clientsetText",
    "crdText",
    "dashboardFiles",
    "documentText",
    "editorSchema",
    "helmChart",
    "inlineImage",
    "inlineProgram",
    "kindFiles",
    "kustomizeFiles",
    "maxInlineBytes",
    "neededAccess",
    "observedPermissions",
    "observedText",
    "parseObserved",
    "rbacFiles",
    "rbacOf",
    "recordedPermissions",
    "referenceText",
    "withImage",
  ]);
});
