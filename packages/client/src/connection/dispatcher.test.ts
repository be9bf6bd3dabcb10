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
import { createDispatcher, destroyWhenSilent, proxyOf } from "./dispatcher.ts";

describe("streams that belong to no request", () => {
  /** Errors that would have ended the process. */
  let uncaught: Error[] = [];
  beforeEach(() => {
    uncaught = [];
    process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error));
  });
  afterEach(() => process.setUncaughtExceptionCaptureCallback(null));

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /**
   * A connection with one watch, on which `count` others were cancelled as soon as they were written; their responses arrive nevertheless.
   */
  async function abandoned(count: number): Promise<{ readonly api: StubHttp2; readonly dispatcher: Dispatcher }> {
    const api = await StubHttp2.start((stream) => {
      stream.respond({ ":status": 200 });
      stream.write("{}\n");
    });
    const settings = { server: api.url, insecureSkipTlsVerify: true };
    const options = { clock: systemClock, connectTimeoutMs: 1_000, pingIntervalMs: false as const, http2: true };
    const identity = { headers: {}, certData: undefined, keyData: undefined };
    const dispatcher = await createDispatcher(settings, identity, {
      ...options,
      closing: new AbortController().signal,
    });
    const request = { origin: api.url, path: "/watch", method: "GET" } as const;
    const neverOpened = {
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: () => {},
      onResponseEnd: () => {},
      onResponseError: () => {},
    };
    await new Promise<void>((resolve) => {
      dispatcher.dispatch(request, { ...neverOpened, onResponseData: () => resolve() });
    });
    for (let i = 0; i < count; i++) {
      let started: Dispatcher.DispatchController | undefined;
      const onRequestStart = (controller: Dispatcher.DispatchController): void => {
        started = controller;
      };
      dispatcher.dispatch(request, { ...neverOpened, onRequestStart });
      started?.abort(new Error("enough"));
      if (i % 50 === 0) await turn();
    }
    await expect.poll(() => api.requests).toBe(count + 1);
    await turn();
    return { api, dispatcher };
  }

  it("survives closing a connection with strays", async () => {
    const { api, dispatcher } = await abandoned(20);
    await using _ = api;

    await dispatcher.destroy();
    await turn();
    expect(uncaught).toEqual([]);
  });

  it("survives a connection with strays that breaks", async () => {
    const { api, dispatcher } = await abandoned(20);

    await api[Symbol.asyncDispose]();
    await dispatcher.destroy();
    await turn();
    expect(uncaught).toEqual([]);
  });

  it("leaves none of a thousand streams open, and does not affect the one that is read", async () => {
    const { api, dispatcher } = await abandoned(1_000);
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

const via = (server: string, env: Record<string, string>): string | undefined => proxyOf({ server }, env);

describe("the proxy of an API server", () => {
  it("is that of the settings, regardless of the environment", () => {
    const env = { HTTPS_PROXY: "http://other:1", NO_PROXY: "*" };
    expect(proxyOf({ server: "https://api:6443", proxyUrl: "http://mine:3128" }, env)).toBe("http://mine:3128");
    expect(proxyOf({ server: "https://127.0.0.1:6443", proxyUrl: "socks5://mine:1080" }, env)).toBe(
      "socks5://mine:1080",
    );
  });

  it("is that of the environment for the server's scheme, upper case first", () => {
    const env = { HTTPS_PROXY: "http://a:1", https_proxy: "http://b:1", http_proxy: "http://c:1", HTTP_PROXY: "" };
    expect(via("https://api:6443", env)).toBe("http://a:1");
    expect(via("https://api:6443", { ...env, HTTPS_PROXY: "" })).toBe("http://b:1");
    expect(via("http://api:8080", env)).toBe("http://c:1");
    expect(via("http://api:8080", { HTTPS_PROXY: "http://a:1" })).toBeUndefined();
    expect(via("https://api:6443", { HTTP_PROXY: "http://a:1" })).toBeUndefined();
  });

  it.each([
    ["proxy.corp:3128", "http://proxy.corp:3128"],
    ["10.0.0.1", "http://10.0.0.1"],
    ["https://u:p@proxy:3129", "https://u:p@proxy:3129"],
    ["socks5h://proxy:1080", "socks5://proxy:1080"],
  ])("may be written as %s", (value, url) => {
    expect(via("https://api:6443", { HTTPS_PROXY: value })).toBe(url);
  });

  it.each(["ftp://u:secret@proxy:21", "http://"])("must be a URL: %s", (value) => {
    const env = { HTTPS_PROXY: value };
    expect(() => via("https://api:6443", env)).toThrow(/^HTTPS_PROXY ".*" is not a valid proxy URL; use http:/);
    expect(() => via("https://api:6443", env)).not.toThrow("secret");
    expect(() => proxyOf({ server: "https://api", proxyUrl: value })).toThrow(
      /^proxyUrl ".*" is not a valid proxy URL/,
    );
  });

  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.1", "[::1]", "[::ffff:127.0.0.1]"])(
    "does not apply to %s",
    (host) => {
      expect(via(`https://${host}:6443`, { HTTPS_PROXY: "http://p:1" })).toBeUndefined();
    },
  );

  it.each<[string, readonly string[], readonly string[]]>([
    ["*", ["api.corp", "10.0.0.1"], []],
    ["api.corp", ["api.corp", "API.corp", "eu.api.corp"], ["xapi.corp", "corp", "api.corp.example"]],
    [".api.corp", ["eu.api.corp"], ["api.corp"]],
    ["*.api.corp", ["eu.api.corp"], ["api.corp"]],
    ["api.corp:6443", ["api.corp"], []],
    ["api.corp:443", [], ["api.corp"]],
    ["10.96.0.1", ["10.96.0.1", "[::ffff:10.96.0.1]"], ["10.96.0.10"]],
    ["10.96.0.1:443", [], ["10.96.0.1"]],
    ["10.96.0.0/12", ["10.96.0.1", "10.111.255.255"], ["10.112.0.1", "api.corp"]],
    ["fd00::/8", ["[fd00::1]"], ["[fe80::1]", "10.0.0.1"]],
    ["[fd00::1]:6443", ["[fd00::1]"], ["[fd00::2]"]],
    ["fd00::1", ["[fd00::1]"], ["[fd00::2]"]],
    ["10.96.0.0/99, ,:443,  Api.Corp ", ["api.corp"], ["10.96.0.1"]],
    ["", [], ["api.corp", "10.0.0.1"]],
  ])("is excluded by NO_PROXY %j", (noProxy, direct, proxied) => {
    for (const name of ["NO_PROXY", "no_proxy"]) {
      const env = { HTTPS_PROXY: "http://p:1", [name]: noProxy };
      for (const host of direct) expect([host, via(`https://${host}:6443`, env)]).toEqual([host, undefined]);
      for (const host of proxied) expect([host, via(`https://${host}:6443`, env)]).toEqual([host, "http://p:1"]);
    }
    expect(via("https://api.corp", { HTTPS_PROXY: "http://p:1", NO_PROXY: "api.corp:443" })).toBeUndefined();
  });
});
