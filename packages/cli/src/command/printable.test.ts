import { expect, it } from "vitest";
import { onOneLine, printable } from "./printable.ts";
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

it("begins no line that others wrote", () => {
  const forged = "a\r\nOK configmap/fake applied\u2028b";
  expect(onOneLine(forged)).toBe("a; OK configmap/fake applied; b");
  expect(onOneLine("ERROR: x\n | self.mix > 1\n | ....^\n  OK")).toBe("ERROR: x\n | self.mix > 1\n | ....^; OK");
  expect(onOneLine(`${" ".repeat(100_000)}\n\n | a`)).toMatch(/; \n \| a$/);
  const lines: string[] = [];
  const write = (text: string): void => void lines.push(text);
  const io = { out: write, err: write, env: {} };
  const report = new Report(io, {});
  report.add({}, forged);
  report.add({}, [forged, "  remedy"], true);
  const first = "a; OK configmap/fake applied; b\n";
  expect(lines).toEqual([first, `${first}  remedy\n`]);
});
