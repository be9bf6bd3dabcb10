import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { EventStreams } from "./event-streams.ts";

/** The part of a response that a stream needs. */
const fakeResponse = () => {
  const written: string[] = [];
  const calls: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writeHead: () => response,
    write: (text: string) => written.push(text) > 0,
    end: () => calls.push("end"), // closes when the client has read the rest, or never
    destroy: () => {
      calls.push("destroy");
      response.emit("close");
    },
  });
  return { response: response as unknown as ServerResponse & typeof response, written, calls };
};

const listener = (viewer: string) => ({ viewer, mayStay: async () => 200 });

const start = () => {
  const clock = new FakeClock();
  let ticks = 0;
  const streams = new EventStreams({ clock, tick: () => ({ at: ++ticks }) });
  return { clock, streams, ticks: () => ticks };
};

it("sends data to all streams each second, and does nothing without streams", async () => {
  const { clock, streams, ticks } = start();
  const [a, b] = [fakeResponse(), fakeResponse()];
  streams.open(a.response, listener("ann"));
  streams.open(b.response, listener("ann"));
  await clock.advance(1_000);
  expect(a.written).toEqual(['event: tick\ndata: {"at":1}\n\n', 'event: tick\ndata: {"at":3}\n\n']);
  expect(b.written.at(-1)).toBe(a.written.at(-1));
  a.response.emit("close");
  b.response.emit("close");
  expect([streams.size, clock.waiting]).toEqual([0, 0]);
  await clock.advance(10_000);
  expect(ticks()).toBe(3);
});

it("limits the number of streams, and ends each after five minutes", async () => {
  const { clock, streams } = start();
  for (let i = 0; i < 16; i++) expect(streams.open(fakeResponse().response, listener("ann"))).toBe(true);
  expect(streams.open(fakeResponse().response, listener("ann"))).toBe(false);
  await clock.advance(5 * 60_000 - 1);
  expect(streams.size).toBe(16);
  await clock.advance(1);
  expect([streams.size, clock.waiting]).toEqual([0, 0]);
});

it("frees the place of a failed stream, and ends all on close", async () => {
  const { clock, streams } = start();
  const all = Array.from({ length: 16 }, fakeResponse);
  for (const { response } of all) streams.open(response, listener("ann"));
  all[0]?.response.emit("error", new Error("broken pipe"));
  expect(streams.size).toBe(15);
  expect(streams.open(fakeResponse().response, listener("ann"))).toBe(true);
  streams.close();
  expect([streams.size, clock.waiting]).toEqual([0, 0]);
  expect(all.map(({ calls }) => calls)).toEqual([[], ...Array(15).fill(["end"])]);
});

it("buffers nothing for clients that do not read", async () => {
  const { clock, streams } = start();
  const slow = fakeResponse();
  streams.open(slow.response, listener("ann"));
  slow.response.writableLength = 1024 * 1024;
  await clock.advance(30_000);
  expect([slow.written.length, streams.size]).toEqual([1, 1]);
  await clock.advance(1_000);
  expect([slow.calls, streams.size, clock.waiting]).toEqual([["destroy"], 0, 0]);
});

it("skips streams with more than 256 KiB unread, and resets the count when they catch up", async () => {
  const { clock, streams } = start();
  const slow = fakeResponse();
  streams.open(slow.response, listener("ann"));
  slow.response.writableLength = 256 * 1024;
  await clock.advance(1_000);
  expect(slow.written).toHaveLength(2);
  for (let i = 0; i < 3; i++) {
    slow.response.writableLength = 256 * 1024 + 1;
    await clock.advance(30_000);
    slow.response.writableLength = 0;
    await clock.advance(1_000);
  }
  expect([slow.written.length, slow.calls, streams.size]).toEqual([5, [], 1]);
});

it("ends the oldest stream of the viewer with most streams for a viewer with fewer", () => {
  const { streams } = start();
  const all = Array.from({ length: 16 }, fakeResponse);
  for (const { response } of all) streams.open(response, listener("ann"));
  expect(streams.open(fakeResponse().response, listener("ann"))).toBe(false);
  const others = Array.from({ length: 9 }, () => streams.open(fakeResponse().response, listener("bob")));
  expect(others).toEqual([...Array(8).fill(true), false]);
  expect(all.map(({ calls }) => calls.length)).toEqual([...Array(8).fill(1), ...Array(8).fill(0)]);
  expect(streams.size).toBe(16);
});

it("ends no stream if the new viewer would have more than the other", () => {
  const { streams } = start();
  const open = (viewer: string) => streams.open(fakeResponse().response, listener(viewer));
  for (const viewer of [...Array(8).fill("ann"), ...Array(7).fill("bob"), "eve"]) open(viewer);
  expect([open("bob"), open("eve"), open("bob")]).toEqual([false, true, false]);
});

it("checks access every 10 seconds, and ends streams without access", async () => {
  const { clock, streams } = start();
  const answers: (number | Error)[] = [];
  const asked: number[] = [];
  const open = fakeResponse();
  const mayStay = async () => {
    asked.push(clock.monotonic());
    const answer = answers.shift() ?? 200;
    if (typeof answer === "number") return answer;
    throw answer;
  };
  streams.open(open.response, { viewer: "ann", mayStay });
  answers.push(200, new Error("no API server"), 429, 403);
  await clock.advance(39_999);
  expect([asked, open.calls]).toEqual([[10_000, 20_000, 30_000], []]);
  await clock.advance(1);
  expect([asked.at(-1), open.calls, streams.size, clock.waiting]).toEqual([40_000, ["end"], 0, 0]);
});
