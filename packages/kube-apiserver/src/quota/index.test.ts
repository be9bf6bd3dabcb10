import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "calculateUsage",
    "equalResources",
    "evaluatorOf",
    "formatResourceList",
    "maskResources",
    "parseResourceList",
  ]);
});
