import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { PodFailures } from "./pod-failures.ts";

const origin = (key: string) => ({ kind: "FirewallRule", key });

it("remembers why and on which pods a resource last failed, until it succeeds", async () => {
  const clock = new FakeClock();
  const failures = new PodFailures(clock);
  failures.note(
    origin("a/b"),
    new Map([
      ["one", "no"],
      ["two", "never"],
    ]),
  );
  await clock.advance(1_000);
  failures.note(origin("a/b"), new Map([["one", "not so"]]));
  expect([...failures.of(origin("a/b"))]).toEqual([["one", { atMs: clock.now(), message: "not so" }]]);
  expect(failures.of({ kind: "FirewallZone", key: "a/b" }).size).toBe(0);
  failures.forget(origin("a/b"));
  expect(failures.of(origin("a/b")).size).toBe(0);
});

it("drops only the oldest if there are too many", () => {
  const failures = new PodFailures(new FakeClock());
  for (let at = 0; at < 4_100; at++) failures.note(origin(`a/${at}`), new Map([["pod", "no"]]));
  const known = Array.from({ length: 4_100 }, (_, at) => failures.of(origin(`a/${at}`)).size);
  expect(known).toEqual([...Array(4).fill(0), ...Array(4_096).fill(1)]);
});
