import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { ObjectEvent } from "../event/object-event.ts";
import { endsWithin } from "./ends-within.ts";
import { nameOfFunction, namesOf, resourceVersionOf } from "./event-names.ts";

const event = (object: unknown) => ({ type: "create", object }) as ObjectEvent;

it.each<[unknown, string | undefined, string | undefined]>([
  [{ kind: "Pod", metadata: { name: "a", namespace: "b" } }, "Pod", "b/a"],
  [{ kind: "Node", metadata: { name: "a" } }, "Node", "a"],
  [{ kind: "Node", metadata: { name: "a", namespace: "" } }, "Node", "a"],
  [{ kind: "", metadata: { name: "", namespace: "b" } }, undefined, undefined],
  [{ kind: 5, metadata: { name: 5, namespace: 5 } }, undefined, undefined],
  [{ metadata: null }, undefined, undefined],
  [{}, undefined, undefined],
  [null, undefined, undefined],
  [undefined, undefined, undefined],
])("an event of %j has kind %s and key %s", (object, kind, key) => {
  expect(namesOf(event(object))).toEqual({ kind, key });
});

it("versions and functions have names, or none", () => {
  const versions = [
    { metadata: { resourceVersion: "7" } },
    { metadata: { resourceVersion: "" } },
    { metadata: 5 },
    undefined,
  ];
  expect(versions.map((object) => resourceVersionOf(object as ObjectEvent["object"]))).toEqual([
    "7",
    undefined,
    undefined,
    undefined,
  ]);
  expect([nameOfFunction({ name: "f" }), nameOfFunction({ name: "" })]).toEqual(["f", "(anonymous)"]);
});

it("work ends in time, the time passes first, or the signal aborts; nothing is left behind", async () => {
  const clock = new FakeClock();
  const never = new Promise<void>(() => {});
  const stop = new AbortController();
  expect(await endsWithin(clock, 10, Promise.resolve(), stop.signal)).toBe(true);
  const late = endsWithin(clock, 10, never, stop.signal);
  await clock.advance(10);
  expect(await late).toBe(false);
  const given = endsWithin(clock, 10, never, stop.signal);
  stop.abort();
  expect(await given).toBe(false);
  expect(await endsWithin(clock, 10, Promise.resolve(), stop.signal)).toBe(false);
  expect(clock.waiting).toBe(0);
});
