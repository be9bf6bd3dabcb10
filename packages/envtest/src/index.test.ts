import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports exactly these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "Environment",
    "NotSupportedByTestBedError",
    "isNotSupportedByTestBedError",
  ]);
});
