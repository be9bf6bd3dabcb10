import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { promisify } from "node:util";
import { systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import type { Dispatcher } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StubHttp2 } from "../testing/stub-http2.ts";
import { createDispatcher, destroyWhenSilent } from "./dispatcher.ts";

describe("streams that belong to no request", () => {
  /** Errors that would have ended the process. */
  let uncaught: Error[] = [];
  beforeEach(() => {
    uncaught = [];
    process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error));
  });
  afterEach(() => process.setUncaughtExceptionCaptureCallback(null));

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** A connection with one watch, on which `count` others were cancelled as soon as they were written; their responses arrive nevertheless. */
  async function givenUp(count: number): Promise<{ readonly api: StubHttp2; readonly dispatcher: Dispatcher }> {
    const api = await StubHttp2.start((stream) => {
      stream.respond({ ":status": 200 });
      stream.write("{}\n");
    });
    const settings = { server: api.url, insecureSkipTlsVerify: true };
    const options = { clock: systemClock, connectTimeoutMs: 1_000, pingIntervalMs: 0, http2: true };
    const identity = { headers: {}, certData: undefined, keyData: undefined };
    const dispatcher = await createDispatcher(settings, identity, {
      ...options,
      closing: new AbortController().signal,
    });
    const request = { origin: api.url, path: "/watch", method: "GET" } as const;
    const unheard = {
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: () => {},
      onResponseEnd: () => {},
      onResponseError: () => {},
    };
    await new Promise<void>((resolve) => {
      dispatcher.dispatch(request, { ...unheard, onResponseData: () => resolve() });
    });
    for (let i = 0; i < count; i++) {
      let started: Dispatcher.DispatchController | undefined;
      const onRequestStart = (controller: Dispatcher.DispatchController): void => {
        started = controller;
      };
      dispatcher.dispatch(request, { ...unheard, onRequestStart });
      started?.abort(new Error("enough"));
      if (i % 50 === 0) await turn();
    }
    await expect.poll(() => api.requests).toBe(count + 1);
    await turn();
    return { api, dispatcher };
  }

  it("survives closing a connection with strays", async () => {
    const { api, dispatcher } = await givenUp(20);
    await using _ = api;

    await dispatcher.destroy();
    await turn();
    expect(uncaught).toEqual([]);
  });

  it("survives a connection with strays that breaks", async () => {
    const { api, dispatcher } = await givenUp(20);

    await api[Symbol.asyncDispose]();
    await dispatcher.destroy();
    await turn();
    expect(uncaught).toEqual([]);
  });

  it("leaves none of a thousand streams open, and does not affect the one that is read", async () => {
    const { api, dispatcher } = await givenUp(1_000);
    await using _ = api;

    await expect.poll(() => api.streams.size).toBe(1);
    await dispatcher.destroy();
    await turn();
    expect(uncaught).toEqual([]);
  });
});

class FakeSocket extends EventEmitter {
  bytesRead = 0;
  destroyedWith: Error | undefined;

  destroy(error?: Error): this {
    this.destroyedWith = error;
    this.emit("close");
    return this;
  }
}

function watched() {
  const clock = new FakeClock();
  const socket = new FakeSocket();
  destroyWhenSilent(socket, clock, 30_000);
  return { clock, socket };
}

it("keeps a connection on which anything arrives, even if only answers to pings", async () => {
  const { clock, socket } = watched();
  for (let i = 0; i < 20; i++) {
    socket.bytesRead += 17;
    await clock.advance(30_000);
  }
  expect(socket.destroyedWith).toBeUndefined();
});

it("destroys a connection on which nothing arrives", async () => {
  const { clock, socket } = watched();
  await clock.advance(90_000);
  expect(socket.destroyedWith).toBeUndefined();

  await clock.advance(30_000);
  expect(socket.destroyedWith?.message).toBe("no response to pings for 90000 ms");
  expect(clock.waiting).toBe(0);
});

it("stops checking when the connection closes", () => {
  const { clock, socket } = watched();
  socket.emit("close");
  expect(clock.waiting).toBe(0);
});

const program = (url: string) => `
  import { createRequire } from "node:module";
  import { Connection } from "@kubewright/client";
  await using connection = new Connection({ server: ${JSON.stringify(url)} });
  const { status } = await connection.request({ path: "/" });
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes("/undici/"));
  console.log(JSON.stringify({ status, files: loaded.length, whole: loaded.some((file) => file.endsWith("/undici/index.js")) }));
`;

it("loads only the parts of undici that make connections", async () => {
  const server = createServer((_request, response) => void response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const text = program(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const args = ["--conditions=@kubewright/source", "--input-type=module", "-e", text];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  server.close();
  const { status, files, whole } = JSON.parse(stdout) as { status: number; files: number; whole: boolean };
  expect([status, whole]).toEqual([200, false]);
  expect(files).toBeGreaterThan(10);
  expect(files).toBeLessThan(40);
});
