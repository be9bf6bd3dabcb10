import { expect, it } from "vitest";
import { repeatedHeaders } from "./passed-headers.ts";

it("forwards repeated headers, but none that vouch for a user", () => {
  const raw = [
    "Impersonate-Group",
    "dev",
    "impersonate-group",
    "ops",
    "Accept",
    "*/*",
    "X-Remote-User",
    "admin",
    "Host",
    "h",
  ];
  expect(repeatedHeaders(raw)).toEqual({ "impersonate-group": ["dev", "ops"], accept: ["*/*"] });
});
