import { EventEmitter } from "node:events";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ApiRequest } from "../request/api-request.ts";
import { requestInfo } from "../request/request-info.ts";
import { RunningWatches } from "../scope/running-watches.ts";
import { sendFrames } from "./watch-reader.ts";

/** A response that its client reads on demand. */
class Unread extends EventEmitter {
  readonly written: Buffer[] = [];
  writableNeedDrain = false;
  isDestroyed = false;
  write(chunk: Buffer): boolean {
    this.written.push(chunk);
    this.writableNeedDrain = true;
    return false;
  }
  read(): void {
    this.writableNeedDrain = false;
    this.emit("drain");
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit("close");
  }
}

function requestWith(response: Unread): ApiRequest {
  const request = new ApiRequest({
    incoming: {} as never,
    response: response as never,
    info: requestInfo("GET", "/api/v1/pods", new URLSearchParams()),
    query: new URLSearchParams(),
    auditId: "",
    stopping: new AbortController().signal,
    receivedMs: 0,
  });
  response.on("close", () => request.close());
  return request;
}

const frames = Array.from({ length: 10 }, () => Buffer.alloc(100_000));

it("writes at most one chunk before the client reads", async () => {
  const response = new Unread();
  const sent = sendFrames(
    frames,
    requestWith(response),
    { isOver: false },
    { clock: new FakeClock(), watches: new RunningWatches() },
  );
  expect(response.written.map(({ length }) => length)).toEqual([200_000]);
  for (let i = 0; i < 5; i++) {
    response.read();
    await Promise.resolve().then(() => {});
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(response.written).toHaveLength(5);
  expect(await sent).toBe(true);
});

it("closes the connection of a client that reads nothing, a minute after its watch ended", async () => {
  const clock = new FakeClock();
  const response = new Unread();
  const watch = { isOver: false };
  const sent = sendFrames(frames, requestWith(response), watch, { clock, watches: new RunningWatches() });
  await clock.advance(600_000);
  expect(response.isDestroyed).toBe(false);
  watch.isOver = true;
  await clock.advance(29_999);
  expect(response.isDestroyed).toBe(false);
  await clock.advance(60_000);
  expect(response.isDestroyed).toBe(true);
  expect(await sent).toBe(false);
});
