import { expect, it } from "vitest";
import { WaitingRoom } from "./waiting-room.ts";

it("counts consecutive failures, and triggers waiting resources when their CNF changes", () => {
  const room = new WaitingRoom();
  const called: string[] = [];
  const stop = new AbortController();
  room.listen("FirewallRule", (key) => called.push(key), stop.signal);
  const rule = { kind: "FirewallRule", key: "default/a" };
  expect([room.enter(rule, "edge7"), room.enter(rule, "edge7")]).toEqual([1, 2]);
  room.changed("other");
  expect(called).toEqual([]);
  room.changed("edge7");
  expect(called).toEqual(["default/a"]);
  room.leave(rule);
  room.changed("edge7");
  expect(called).toEqual(["default/a"]);
  expect(room.enter(rule, "edge7")).toBe(1);
  stop.abort();
  room.changed("edge7");
  expect(called).toEqual(["default/a"]);
});

it("does not let a delay grow because of changes that others make", () => {
  const room = new WaitingRoom();
  const rule = { kind: "FirewallRule", key: "default/a" };
  expect([room.enter(rule, "edge7"), room.enter(rule, "edge7")]).toEqual([1, 2]);
  for (let change = 0; change < 10; change++) {
    room.changed("edge7");
    room.changed("edge7");
    expect(room.enter(rule, "edge7")).toBe(2);
  }
  room.changed("other");
  expect(room.enter(rule, "edge7")).toBe(3);
});
