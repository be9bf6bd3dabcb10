import process from "node:process";
import { systemClock } from "@kubewright/clock";
import type { Dispatcher } from "undici";
import { afterEach, beforeEach, expect, it } from "vitest";
import { StubHttp2 } from "../testing/stub-http2.ts";
import { createDispatcher } from "./dispatcher.ts";

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
  const dispatcher = await createDispatcher(settings, identity, { ...options, closing: new AbortController().signal });
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
