import { describe, expect, it } from "vitest";
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
  it("show each resource and each CNF pod in a line", () => {
    expect(objectTable(snapshot.objects, { colours: false })).toEqual([
      "KIND          NAMESPACE  NAME  PURPOSE  STATE    MESSAGE",
      "FirewallRule  default    a     edge7    In Sync",
    ]);
    expect(cnfTable(snapshot.cnfs, { colours: false })).toEqual([
      "NAMESPACE  CNF POD  PURPOSE  IP         HOLDS",
      "cnfs       edge7-0  edge7    127.0.0.2  firewall rules 1",
    ]);
  });

  it("cut what is too long, and colour states without moving columns", () => {
    const long = { ...object, message: "x".repeat(200) };
    expect(objectTable([long], { colours: false, width: 60 })[1]).toHaveLength(60);
    expect(objectTable([object], { colours: true })[1]).toContain("\x1b[32mIn Sync\x1b[39m");
  });
});

describe("LineView", () => {
  it("writes a line for each change, and none where nothing changed", () => {
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
  it("writes documents, and says what it says elsewhere", () => {
    const [documents, said]: [string[], string[]] = [[], []];
    const view = new JsonView(
      (line) => documents.push(line),
      (line) => said.push(line),
    );
    view.say("hello");
    view.show(snapshot);
    view.show(snapshot);
    expect(documents.map((text) => JSON.parse(text))).toEqual([snapshot]);
    expect(said).toEqual(["hello"]);
  });
});
