import { expect, it } from "vitest";
import { CommandError, UsageError } from "./errors.ts";
import { onOneLine, printable } from "./printable.ts";
import { Report } from "./report.ts";

it("escapes control characters", () => {
  expect(printable("a\tb\n\u001b]0;owned\u0007\u009b2J\r\u202eevil ✓ ü")).toBe(
    "a\tb\n\\u001b]0;owned\\u0007\\u009b2J\\u000d\\u202eevil ✓ ü",
  );
});

it("is used for lines of reports, but not for JSON documents", () => {
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

it("prevents line breaks in untrusted text", () => {
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

it("prevents line breaks in the lines of an error's message", () => {
  const cause = new Error("cause");
  for (const Type of [CommandError, UsageError]) {
    expect(new Type("a\nOK b", { cause })).toMatchObject({ message: "a; OK b", cause });
    expect(new Type(["a\rOK b", "  remedy"]).message).toBe("a; OK b\n  remedy");
  }
});
