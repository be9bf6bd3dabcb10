import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { screen } from "./screen.ts";
import type { Snapshot } from "./snapshot.ts";
import { cnfTable, objectTable } from "./table.ts";
import { JsonView, LineView } from "./view.ts";

const object = {
  kind: "FirewallRule",
  namespace: "default",
  name: "a",
  purpose: "edge7",
  state: "In Sync",
  message: "",
};
const cnf = {
  pod: "edge7-0",
  namespace: "cnfs",
  purpose: "edge7",
  ip: "127.0.0.2",
  config: { "firewall/v1/rules": { rules: [{ name: "a" }] }, "firewall/v1/zones": { zones: [] } },
};
const snapshot: Snapshot = { objects: [object], cnfs: [cnf] };

describe("the tables", () => {
  it("show one line for each resource and each CNF pod", () => {
    expect(objectTable(snapshot.objects, { colours: false })).toEqual([
      "KIND          NAMESPACE  NAME  PURPOSE  STATE    MESSAGE",
      "FirewallRule  default    a     edge7    In Sync",
    ]);
    expect(cnfTable(snapshot.cnfs, { colours: false })).toEqual([
      "NAMESPACE  CNF POD  PURPOSE  IP         HOLDS",
      "cnfs       edge7-0  edge7    127.0.0.2  firewall rules 1",
    ]);
  });

  it("fit each line into the width: first with narrower columns, then with fewer words", () => {
    const name = "a-name-that-is-longer-than-it-needs-to-be";
    const rows = [{ ...object, name, message: "x".repeat(200) }];
    const lines = objectTable(rows, { colours: false, width: 80 });
    expect(lines.map((line) => line.length)).toEqual([expect.any(Number), 80]);
    expect(lines[1]).toMatch(/^FirewallRule {2}default {4}a-name\S*…\S*to-be {2}edge7 {4}In Sync {2}x+…$/);
    expect(objectTable(rows, { colours: false, width: 30 }).every((line) => line.length <= 30)).toBe(true);
    expect(cnfTable([cnf], { colours: false, width: 50 })[1]).toBe(
      "cnfs       edge7-0  edge7    127.0.0.2  firewall 1",
    );
  });

  it("color states without moving columns, and end each color at the cut of a line", () => {
    expect(objectTable([object], { colours: true })[1]).toContain("\x1b[32mIn Sync\x1b[39m");
    for (let width = 0; width < 60; width++)
      for (const line of objectTable([object], { colours: true, width })) {
        expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(width);
        expect(line.split("\x1b[").length % 2).toBe(1);
      }
  });
});

describe("the screen", () => {
  const objects = Array.from({ length: 40 }, (_, index) => ({ ...object, name: `rule-${index}` }));
  const late = { ...object, name: "late", state: "Trying to apply", message: "no such zone" };
  const busy: Snapshot = { objects: [...objects, late], cnfs: Array.from({ length: 9 }, () => cnf) };
  const plain = { colours: false, width: 80, height: 24 };

  it("has no more lines than the terminal, and no longer ones", () => {
    for (const height of [1, 3, 8, 12, 16, 20, 24, 50, 80])
      for (const width of [20, 80, 160]) {
        const lines = screen(busy, ["pid 1", "x".repeat(200), "one", "two", "three"], { ...plain, width, height });
        expect(lines.length).toBeLessThanOrEqual(Math.max(1, height - 1));
        if (width > 40) expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        expect(lines.at(-1)).toBe("40 of 41 in sync. Press Ctrl-C to stop.");
      }
  });

  it("shows resources that are not in sync first if space is short", () => {
    const lines = screen(busy, [], plain);
    expect(lines[2]).toMatch(/late .* Trying to apply {2}no such zone/);
    const cuts = lines.flatMap((line, at) => (line.startsWith("…") ? [at] : []));
    expect(cuts).toHaveLength(2);
    // Each table uses its maximum number of lines, and shows the number of omitted rows: of 41 resources, and of 9 CNFs.
    const shown = lines.filter((line) => line.startsWith("FirewallRule ")).length;
    const pods = lines.filter((line) => line.startsWith("cnfs ")).length;
    expect(cuts.map((at) => lines[at])).toEqual([`… ${41 - shown} more`, `… ${9 - pods} more`]);
    expect(lines).toHaveLength(23);
    const all = screen(busy, [], { ...plain, height: 60 });
    expect(all[2]).toMatch(/rule-0 /);
    expect(all.filter((line) => line.startsWith("…"))).toEqual([]);
  });
});

describe("LineView", () => {
  it("writes a line for each change, and nothing without changes", () => {
    const lines: string[] = [];
    const view = new LineView((line) => lines.push(line));
    view.show(snapshot);
    view.show(snapshot);
    view.show({ objects: [{ ...object, state: "Trying to apply", message: "no" }], cnfs: [] });
    expect(lines).toEqual([
      "FirewallRule default/a purpose=edge7 In Sync",
      "CNF cnfs/edge7-0 edge7 127.0.0.2 firewall rules 1",
      "FirewallRule default/a purpose=edge7 Trying to apply no",
      "CNF cnfs/edge7-0 gone",
    ]);
  });
});

describe("JsonView", () => {
  it("writes snapshots as JSON, and messages to another stream", () => {
    const [documents, reported]: [string[], string[]] = [[], []];
    const view = new JsonView(
      (line) => documents.push(line),
      (line) => reported.push(line),
    );
    view.print("hello");
    view.show(snapshot);
    view.show(snapshot);
    expect(documents.map((text) => JSON.parse(text))).toEqual([snapshot]);
    expect(reported).toEqual(["hello"]);
  });
});
