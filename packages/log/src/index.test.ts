import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports exactly these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "createLogger",
    "defaultLogger",
    "errorText",
    "isPanic",
    "isReadableError",
    "objectRef",
    "panicText",
    "safeLogger",
    "shownError",
    "silentLogger",
    "warnDeprecated",
  ]);
});
