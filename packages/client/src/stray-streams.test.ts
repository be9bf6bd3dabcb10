import process from "node:process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { StubHttp2 } from "./testing/stub-http2.ts";

/** What would have ended the process. */
let uncaught: Error[] = [];
beforeEach(() => {
  uncaught = [];
  process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error));
});
afterEach(() => process.setUncaughtExceptionCaptureCallback(null));

const untilSettled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Watches that are given up in the moment in which the head of their answer is on its way. */
async function givenUp(count: number) {
  const enough = new Error("enough");
  let aborter = new AbortController();
  const api = await StubHttp2.start((stream) => {
    stream.respond({ ":status": 200 });
    aborter.abort(enough);
  });
  const connection = new Connection({ server: api.url, insecureSkipTlsVerify: true });
  for (let i = 0; i < count; i++) {
    aborter = new AbortController();
    await expect(connection.stream({ path: "/watch", signal: aborter.signal })).rejects.toBe(enough);
  }
  return { api, connection };
}

it("survives closing after watches were given up while their answers arrived", async () => {
  const { api, connection } = await givenUp(20);
  await using _ = api;

  await connection.close();
  await untilSettled();
  expect(uncaught).toEqual([]);
});

it("survives a connection that breaks after that", async () => {
  const { api, connection } = await givenUp(20);
  await using _ = connection;

  await api[Symbol.asyncDispose]();
  await untilSettled();
  expect(uncaught).toEqual([]);
});

it("leaves no stream behind", async () => {
  const { api, connection } = await givenUp(1_000);
  await using _ = api;
  await using __ = connection;

  await expect.poll(() => api.streams.size).toBe(0);
  expect(uncaught).toEqual([]);
});
