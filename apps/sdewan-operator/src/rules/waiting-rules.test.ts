import { expect, it } from "vitest";
import { WaitingRules } from "./waiting-rules.ts";

it("counts consecutive failures, and triggers waiting resources when their CNF changes", () => {
  const waiting = new WaitingRules();
  const triggered: string[] = [];
  const stop = new AbortController();
  waiting.subscribe("FirewallRule", (key) => triggered.push(key), stop.signal);
  const rule = { kind: "FirewallRule", key: "default/a" };
  expect([waiting.add(rule, "edge7"), waiting.add(rule, "edge7")]).toEqual([1, 2]);
  waiting.triggerAll("other");
  expect(triggered).toEqual([]);
  waiting.triggerAll("edge7");
  expect(triggered).toEqual(["default/a"]);
  waiting.remove(rule);
  waiting.triggerAll("edge7");
  expect(triggered).toEqual(["default/a"]);
  expect(waiting.add(rule, "edge7")).toBe(1);
  stop.abort();
  waiting.triggerAll("edge7");
  expect(triggered).toEqual(["default/a"]);
});

it("does not let a delay grow because of changes that others make", () => {
  const waiting = new WaitingRules();
  const rule = { kind: "FirewallRule", key: "default/a" };
  expect([waiting.add(rule, "edge7"), waiting.add(rule, "edge7")]).toEqual([1, 2]);
  for (let change = 0; change < 10; change++) {
    waiting.triggerAll("edge7");
    waiting.triggerAll("edge7");
    expect(waiting.add(rule, "edge7")).toBe(2);
  }
  waiting.triggerAll("other");
  expect(waiting.add(rule, "edge7")).toBe(3);
});
