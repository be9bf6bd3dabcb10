import type { KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { ObjectEvent } from "../event/object-event.ts";
import { EventRetries, type Failure, type Outcome } from "./event-retries.ts";

const event = (name: string, resourceVersion = "1", kind = "Pod"): ObjectEvent => {
  const object: KubeObject = { apiVersion: "v1", kind, metadata: { name, namespace: "ns", resourceVersion } };
  return { type: "create", object };
};
const failure: Failure = { by: "handler h", err: new Error("no") };

/** Retries that fail as long as `outcome` does; each try is recorded with its time. */
function retrying(outcome: (told: string) => Outcome = () => failure) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const dropped: string[] = [];
  const nameOf = ({ object: { kind, metadata } }: ObjectEvent) =>
    `${kind} ${metadata.name}@${metadata.resourceVersion}`;
  const retries = new EventRetries({
    clock,
    signal: stop.signal,
    handle: (each) => {
      asked.push(`${nameOf(each)} ${clock.monotonic()}`);
      return outcome(nameOf(each));
    },
    onDropped: (each, why) => void dropped.push(`${nameOf(each)} ${why.by}`),
  });
  return { clock, stop, retries, asked, dropped };
}

it("tries six times in total, including the failed one, and then gives up", async () => {
  const { clock, retries, asked, dropped } = retrying();
  retries.add(event("a"));
  expect([retries.size, asked]).toEqual([1, []]);
  await clock.advance(3_099);
  expect(dropped).toEqual([]);
  await clock.advance(1);
  expect(asked).toEqual([100, 300, 700, 1_500, 3_100].map((ms) => `Pod a@1 ${ms}`));
  expect(dropped).toEqual(["Pod a@1 handler h"]);
  expect([retries.size, clock.waiting]).toEqual([0, 0]);
});

it.each([false, true])("stops after a success, by a promise: %s", async (isAsync) => {
  const { clock, retries, asked, dropped } = retrying(() => {
    const outcome = asked.length < 2 ? failure : undefined;
    return isAsync ? Promise.resolve(outcome) : outcome;
  });
  retries.add(event("a"));
  await clock.advance(60_000);
  expect(asked).toEqual(["Pod a@1 100", "Pod a@1 300"]);
  expect([dropped, retries.size]).toEqual([[], 0]);
});

it("retries a waiting event before a newer one of the same object, for the last time", async () => {
  const { clock, retries, asked, dropped } = retrying();
  retries.add(event("a"));
  expect(retries.makeWay(event("b", "2"))).toBeUndefined();
  expect(retries.makeWay(event("a", "2", "Secret"))).toBeUndefined();
  expect(asked).toEqual([]);
  expect(retries.makeWay(event("a", "2"))).toBeUndefined();
  expect(asked).toEqual(["Pod a@1 0"]);
  expect(dropped).toEqual(["Pod a@1 handler h"]);
  await clock.advance(60_000);
  expect([asked.length, retries.size, clock.waiting]).toEqual([1, 0, 0]);
});

it("makes a newer event wait for a try in progress, without starting another", async () => {
  const gate = Promise.withResolvers<Failure | undefined>();
  const { clock, retries, asked, dropped } = retrying(() => gate.promise);
  retries.add(event("a"));
  await clock.advance(100);
  const way = retries.makeWay(event("a", "2"));
  expect(way).toBeInstanceOf(Promise);
  expect([asked.length, retries.size]).toEqual([1, 0]);
  gate.resolve(failure);
  await way;
  expect(dropped).toEqual(["Pod a@1 handler h"]);
  await clock.advance(60_000);
  expect(asked).toHaveLength(1);
});

it("keeps several events of one object, and those of objects without a name", async () => {
  const { clock, retries, asked } = retrying(() => undefined);
  retries.add(event("a", "1"));
  retries.add(event("a", "2"));
  const nameless = { type: "create", object: { apiVersion: "v1", kind: "Pod" } } as unknown as ObjectEvent;
  expect(retries.makeWay(nameless)).toBeUndefined();
  expect(retries.size).toBe(2);
  await clock.advance(100);
  expect(asked).toEqual(["Pod a@1 100", "Pod a@2 100"]);
  expect(retries.size).toBe(0);
});

it("drops everything when it is stopped, including tries in progress, and accepts nothing more", async () => {
  const gate = Promise.withResolvers<Failure | undefined>();
  const { clock, stop, retries, asked, dropped } = retrying(() => gate.promise);
  retries.add(event("a"));
  await clock.advance(100);
  retries.add(event("b"));
  stop.abort();
  expect([retries.size, clock.waiting]).toEqual([0, 0]);
  gate.resolve(failure);
  retries.add(event("c"));
  await clock.advance(60_000);
  expect([asked, dropped, retries.size]).toEqual([["Pod a@1 100"], [], 0]);
});
