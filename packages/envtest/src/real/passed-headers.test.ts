import { expect, it } from "vitest";
import { repeatedHeaders } from "./passed-headers.ts";

it("passes headers on as often as they came, and none that vouch for somebody", () => {
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
