import { expect, it } from "vitest";
import * as api from "./index.ts";
import * as testing from "./testing/index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "NameNotStorableError",
    "OpenWrtClient",
    "OpenWrtError",
    "OpenWrtNetworkError",
    "UnexpectedResponseError",
    "isNameNotStorableError",
    "isObjectNotFound",
    "isOpenWrtError",
    "isOpenWrtNetworkError",
    "isUnexpectedResponseError",
  ]);
});

it("exports these names for tests", () => {
  expect(Object.keys(testing).sort()).toEqual(["CnfSimulator"]);
});
