import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { CoreEvent } from "./event.ts";
import { EventCorrelator } from "./event-correlator.ts";
import { WriteQueue } from "./write-queue.ts";

const event = (message: string): CoreEvent => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "a", namespace: "web" },
  involvedObject: { apiVersion: "v1", kind: "Pod", name: "a", namespace: "web" },
  reason: "Scaled",
  message,
  type: "Normal",
});

it("combines and limits events as usual if options are undefined", () => {
  const correlator = new EventCorrelator({
    clock: new FakeClock(),
    maxSimilar: undefined,
    similarWithinMs: undefined,
    cacheSize: undefined,
    burst: undefined,
    refillMs: undefined,
    spamKey: undefined,
  });
  const outcomes = Array.from({ length: 30 }, (_, index) => correlator.correlate(event(`message ${index}`)));
  const messages = outcomes.map((outcome) => (outcome.skip ? "skipped" : outcome.event.message));
  expect(messages.slice(8, 10)).toEqual(["message 8", "(combined from similar events): message 9"]);
  expect(messages.filter((message) => message === "skipped")).toHaveLength(5);
});

it("writes and gives up as usual if options are undefined", async () => {
  const clock = new FakeClock();
  const undefinedOptions = { writers: undefined, maxWaiting: undefined, maxTries: undefined, retryMs: undefined };
  const queue = new WriteQueue({ clock, logger: undefined, random: undefined, ...undefinedOptions });
  let tries = 0;
  const write = async (): Promise<void> => {
    tries++;
    throw new Error("no network");
  };
  expect(queue.add({ key: "a", write })).toBe(true);
  await clock.advance(12 * 12_500);
  expect(tries).toBe(12);
  for (let index = 0; index < 8; index++) queue.add({ key: `${index}`, write: () => new Promise(() => {}) });
  for (let index = 0; index < 1_000; index++) expect(queue.add({ key: "a", write })).toBe(true);
  expect(queue.add({ key: "a", write })).toBe(false);
  const stopped = queue.stop(0);
  await clock.advance(0);
  await stopped;
});
