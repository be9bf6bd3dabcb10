import { expect, it } from "vitest";
import { printable } from "./printable.ts";
import { Report } from "./report.ts";

it("is text, whatever others wrote", () => {
  expect(printable("a\tb\n\u001b]0;owned\u0007\u009b2J\r\u202eevil ✓ ü")).toBe(
    "a\tb\n\\u001b]0;owned\\u0007\\u009b2J\\u000d\\u202eevil ✓ ü",
  );
});

it("is what reports print, and a document's strings are as they were", () => {
  const written: string[] = [];
  const io = {
    out: (text: string) => void written.push(text),
    err: (text: string) => void written.push(text),
    env: {},
  };
  const lines = new Report<{ name: string }>(io, {});
  lines.add({ name: "\u001bc" }, "made \u001bc");
  lines.add({ name: "\u001bc" }, "lost \u001bc", true);
  expect(written).toEqual(["made \\u001bc\n", "lost \\u001bc\n"]);
});
