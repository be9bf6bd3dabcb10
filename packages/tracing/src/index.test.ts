import { expect, it } from "vitest";
import * as api from "./index.ts";
import * as testing from "./testing/index.ts";

it("exports exactly these names", () => {
  expect(Object.keys(api).sort()).toEqual(["RecentSpans", "Span", "Tracer", "noSpan"]);
  expect(Object.keys(testing).sort()).toEqual(["RecordedSpan", "recordSpans"]);
});
