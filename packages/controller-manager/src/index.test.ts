import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports what users need and nothing else", () => {
  expect(Object.keys(api).sort()).toEqual(["processImage", "startControlPlane", "startControllers", "stockNodeImage"]);
});
