import { describe, expect, it } from "vitest";
import { planText } from "./plan-command.ts";
import { columns, reportText, traceText } from "./report.ts";
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

it("shows stages, waits and probes in plans", () => {
  const change = {
    action: "change",
    path: "firewall/v1/rules",
    name: "a",
    message: 'target: "DROP" to "ACCEPT"',
  } as const;
  const text = planText({
    resources: [{ resource: "FirewallRule n/a", action: "change" }],
    cnfs: [
      {
        ...{ purpose: "p", cnf: "n/p" },
        pods: [
          {
            ...{ pod: "n/p-0", stage: 1, rewrites: 0, restarts: ["reload of firewall"] },
            changes: [
              { ...change, waitsForStage: 0 },
              { ...change, name: "b" },
            ],
            waits: [{ forStage: 0, message: "Waits for stage 0" }],
            confirmation: { seconds: 30, probes: ["tunnel/a", "tcp/10.0.0.1:443"] },
          },
          { pod: "n/p-1", rewrites: 0, restarts: [], changes: [change], confirmation: { seconds: 5, probes: [] } },
          { pod: "n/p-2", stage: 2, rewrites: 0, restarts: [], changes: [], confirmation: { seconds: 5, probes: [] } },
        ],
      },
    ],
    problems: [{ resource: "FirewallRule n/h", type: "held", message: "Rolled back: x" }],
  });
  expect(text.split("\n")).toEqual([
    "ACTION  RESOURCE",
    "change  FirewallRule n/a",
    "",
    "Pod n/p-0 of n/p, stage 1: reload of firewall",
    "Waits for stage 0",
    "Rolled back unless the CNF answers on a new connection and these probes pass within 30 s: tunnel/a, tcp/10.0.0.1:443",
    "ACTION  OBJECT               RESOURCE  MESSAGE",
    'change  firewall/v1/rules/a            target: "DROP" to "ACCEPT"; waits for stage 0',
    'change  firewall/v1/rules/b            target: "DROP" to "ACCEPT"',
    "",
    "Pod n/p-1 of n/p: no restarts",
    "Rolled back unless the CNF answers on a new connection within 5 s",
    "ACTION  OBJECT               RESOURCE  MESSAGE",
    'change  firewall/v1/rules/a            target: "DROP" to "ACCEPT"',
    "",
    "Pod n/p-2 of n/p, stage 2: no changes",
    "",
    "PROBLEM  RESOURCE          MESSAGE",
    "held     FirewallRule n/h  Rolled back: x",
    "",
  ]);
});

it("shows the stages of pods in a status", () => {
  const report = { purpose: "p", cnf: "n/p", resources: [] };
  const objects = [{ path: "x", name: "a", verdict: "held" as const }];
  const shown = (pods: Parameters<typeof reportText>[0] & object) =>
    reportText(pods, { command: "status", output: "table" });
  expect(shown({ ...report, pods: [{ pod: "n/p-0", stage: 3, objects }, { pod: "n/p-1" }] })).toMatch(
    /^POD +STAGE +OBJECTS\nn\/p-0 +3 +1 held\nn\/p-1 +no objects$/m,
  );
  expect(shown({ ...report, pods: [{ pod: "n/p-0", objects }] })).toMatch(/^POD +OBJECTS\nn\/p-0 +1 held$/m);
});
