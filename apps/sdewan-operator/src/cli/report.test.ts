import { describe, expect, it } from "vitest";
import { columns, traceText } from "./report.ts";
import { oneLine } from "./user-error.ts";

it("aligns columns, also of hundreds of thousands of rows", () => {
  expect(columns(["A", "B"], [["long", "x"], ["s"]])).toBe("A     B\nlong  x\ns\n");
  const rows = Array.from({ length: 300_000 }, () => ["a"]);
  expect(columns(["A"], rows)).toHaveLength(2 * 300_001);
});

describe("text of a CNF that moves the cursor, forges a line or reverses text is shown as spaces", () => {
  const text = "a\u001b[2J\nb\u009b1A\u202ec";

  it("in tables", () => {
    expect(columns(["A", "B"], [[text, "x"]])).toBe(`A${" ".repeat(13)}B\na [2J b 1A c  x\n`);
  });

  it("in traces", () => {
    const trace = {
      steps: [{ stage: "filter" as const, text }],
      verdict: {
        ...{ action: "accepted" as const, path: "forward" as const, isCertain: true, incoming: undefined },
        ...{ outgoing: text, source: "", destination: "", tunnel: text },
      },
      conditions: [text],
      unknown: [],
    };
    const shown = traceText({ purpose: "p", cnf: "c", flow: "f", traces: [{ pods: ["n/p"], ...trace }] });
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    expect(shown.split("\n")).toHaveLength(7);
  });

  it("in errors", () => {
    expect(oneLine(new Error(text, { cause: text }))).toBe("a [2J b 1A c");
    expect(oneLine(text)).toBe("a [2J b 1A c");
  });
});
