import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names and no others", () => {
  expect(Object.keys(api).sort()).toEqual([
    "AttachedFields",
    "LazyDecoder",
    "MemberAccessors",
    "MemberComparison",
    "SharedParts",
    "approximateSizeOf",
    "endOfSameString",
    "endOfSameStrings",
    "freezeParsed",
    "isComposite",
    "isLong",
    "isName",
    "isPlainString",
    "jsonOf",
    "parsedValue",
    "readValuesOf",
    "shareStrings",
    "textAt",
    "unreadMemberOf",
  ]);
});
