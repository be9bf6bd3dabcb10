import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { EventStreams } from "./event-streams.ts";

/** As much of a response as a stream needs. */
const fakeResponse = () => {
  const written: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writeHead: () => response,
    write: (text: string) => written.push(text) > 0,
    end: () => response.emit("close"),
    destroy: () => response.emit("close"),
  });
  return { response: response as unknown as ServerResponse & typeof response, written };
};

const start = () => {
  const clock = new FakeClock();
  let ticks = 0;
  const streams = new EventStreams({ clock, tick: () => ({ at: ++ticks }) });
  return { clock, streams, ticks: () => ticks };
};

it("tells all who listen each second, and asks nobody while nobody does", async () => {
  const { clock, streams, ticks } = start();
  const [a, b] = [fakeResponse(), fakeResponse()];
  streams.open(a.response);
  streams.open(b.response);
  await clock.advance(1_000);
  expect(a.written).toEqual(['event: tick\ndata: {"at":1}\n\n', 'event: tick\ndata: {"at":3}\n\n']);
  expect(b.written.at(-1)).toBe(a.written.at(-1));
  a.response.emit("close");
  b.response.emit("close");
  expect([streams.size, clock.waiting]).toEqual([0, 0]);
  await clock.advance(10_000);
  expect(ticks()).toBe(3);
});

it("takes so many listeners, and lets go after five minutes", async () => {
  const { clock, streams } = start();
  for (let i = 0; i < 16; i++) expect(streams.open(fakeResponse().response)).toBe(true);
  expect(streams.open(fakeResponse().response)).toBe(false);
  await clock.advance(5 * 60_000);
  expect([streams.size, clock.waiting]).toEqual([0, 0]);
});

it("keeps nothing for who does not read", async () => {
  const { clock, streams } = start();
  const slow = fakeResponse();
  streams.open(slow.response);
  slow.response.writableLength = 1024 * 1024;
  await clock.advance(30_000);
  expect([slow.written.length, streams.size]).toEqual([1, 1]);
  await clock.advance(2_000);
  expect([streams.size, clock.waiting]).toEqual([0, 0]);
});
