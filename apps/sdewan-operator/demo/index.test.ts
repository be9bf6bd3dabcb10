import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports the documented names", () => {
  expect(Object.keys(api).sort()).toEqual(["CnfSimulators", "Demo", "install", "readManifests", "unsettled"]);
});
