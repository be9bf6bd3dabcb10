import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { afterEach, describe, expect, it } from "vitest";
import { HealthChecks } from "./health-checks.ts";
import { type HttpHandler, HttpServer, type HttpServerOptions, parseBindAddress } from "./http-server.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function running(handler: HttpHandler, options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const stop = new AbortController();
  const server = new HttpServer({ name: "test", bindAddress: "127.0.0.1:0", handler, ...options });
  const run = server.run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await run;
  });
  await server.ready();
  return server;
}

async function serve(handler: HttpHandler): Promise<(path: string) => Promise<{ status: number; body: string }>> {
  const server = await running(handler);
  return async (path) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: response.status, body: await response.text() };
  };
}

describe("parseBindAddress", () => {
  it("reads host and port, and 0 as off", () => {
    expect(parseBindAddress(":8080")).toEqual({ port: 8080 });
    expect(parseBindAddress("127.0.0.1:0")).toEqual({ host: "127.0.0.1", port: 0 });
    expect(parseBindAddress("[::1]:80")).toEqual({ host: "::1", port: 80 });
    expect(parseBindAddress("0")).toBeUndefined();
    expect(() => parseBindAddress("8080")).toThrow("cannot listen");
    expect(() => parseBindAddress(":99999")).toThrow("cannot listen");
  });
});

describe("HttpServer", () => {
  it("answers 500 when the handler fails", async () => {
    const get = await serve(() => Promise.reject(new Error("broken")));
    expect(await get("/")).toEqual({ status: 500, body: "internal server error\n" });
  });

  it("ends a silent connection for a new one if the maximum is reached", async () => {
    const { port = 0 } = await running((_request, response) => void response.end("ok"), { maxConnections: 10 });
    const silent = Array.from({ length: 12 }, () =>
      connect(port, "127.0.0.1")
        .on("error", () => {})
        .resume(),
    );
    stops.push(async () => {
      for (const socket of silent) socket.destroy();
    });
    await expect.poll(() => silent.map(({ destroyed }) => destroyed)).toEqual([true, true, ...Array(10).fill(false)]);
    expect(await fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text())).toBe("ok");
    await expect.poll(() => silent.filter(({ destroyed }) => destroyed)).toHaveLength(3);
  });

  it("closes a connection on which requests arrive together, and serves requests one after another", async () => {
    let served = 0;
    const { port = 0 } = await running((_request, response) => void response.end(`${++served}`));
    const text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const socket = connect(port, "127.0.0.1");
    stops.push(async () => void socket.destroy());
    for (const answer of ["1", "2"]) {
      socket.write(text);
      const [received] = await once(socket, "data");
      expect(String(received)).toContain(`\r\n\r\n${answer}`);
    }
    socket.resume().write(text.repeat(500));
    await once(socket, "close");
    expect(served).toBeLessThan(10);
  });

  it("ends a connection whose headers do not end", { timeout: 60_000 }, async () => {
    const { port = 0 } = await running((_request, response) => void response.end("ok"));
    const sockets = ["", "GET / HTTP/1.1\r\nHost: a\r\n"].map((text) => {
      const socket = connect(port, "127.0.0.1", () => void socket.write(text));
      return socket.on("error", () => {}).resume();
    });
    const opened = performance.now();
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed), { timeout: 30_000 }).toEqual([true, true]);
    expect(performance.now() - opened).toBeGreaterThan(4_000);
  });

  it("answers 400 to an invalid path, and logs no failure", async () => {
    const lines: string[] = [];
    const logger = createLogger({ destination: { write: (line) => void lines.push(line) } });
    const stop = new AbortController();
    const server = new HttpServer({ name: "test", bindAddress: "127.0.0.1:0", handler: () => {}, logger });
    const run = server.run(stop.signal);
    stops.push(async () => {
      stop.abort();
      await run;
    });
    await server.ready();
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const sent = request({ port: server.port, host: "127.0.0.1", path: "//[" }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject).end();
    expect(await promise).toBe(400);
    expect(lines.filter((line) => line.includes("request failed"))).toEqual([]);
  });

  it("fails with one clear line when the address is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    const options = { name: "metrics", bindAddress: `127.0.0.1:${port}`, handler: () => {} };
    const failure = async (setBy?: string) =>
      new HttpServer({ ...options, setBy }).run(new AbortController().signal).catch((error: Error) => error.message);
    const cause = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
    expect(await failure()).toBe(`metrics server failed to listen on 127.0.0.1:${port}: ${cause}`);
    expect(await failure("--metrics-bind-address")).toBe(
      `metrics server failed to listen on 127.0.0.1:${port}: ${cause}; stop the process that uses the address, or set another address with --metrics-bind-address`,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});

describe("HealthChecks", () => {
  const broken = () => {
    throw new Error("the database is gone");
  };

  it("answers ok, with a ping if there are no checks", async () => {
    const get = await serve(new HealthChecks("/healthz", systemClock).handler);
    expect(await get("/healthz")).toEqual({ status: 200, body: "ok" });
    expect(await get("/healthz/ping")).toEqual({ status: 200, body: "ok" });
    expect((await get("/healthz?verbose=true")).body).toBe("[+]ping ok\nhealthz check passed\n");
  });

  it("lists checks by name when one fails or on request, and withholds the reason", async () => {
    const checks = new HealthChecks("/readyz", systemClock);
    checks.add("ok2", () => {});
    checks.add("bad", broken);
    checks.add("ok1", async () => {});
    const get = await serve(checks.handler);
    expect(await get("/readyz")).toEqual({
      status: 500,
      body: "[-]bad failed: reason withheld\n[+]ok1 ok\n[+]ok2 ok\nreadyz check failed\n",
    });
    expect(await get("/readyz?exclude=bad")).toEqual({ status: 200, body: "ok" });
    expect((await get("/readyz?exclude=bad&exclude=none&verbose")).body).toContain('no matches for "none"');
  });

  it("shows the note of a successful check in the list of all checks, if it was added with showsReason", async () => {
    const checks = new HealthChecks("/readyz", systemClock);
    checks.add("noted", () => "waits for\n the other", { showsReason: true });
    checks.add("later", async () => "waits", { showsReason: true });
    checks.add("none", () => {}, { showsReason: true });
    checks.add("withheld", () => "a secret");
    const get = await serve(checks.handler);
    expect(await get("/readyz")).toEqual({ status: 200, body: "ok" });
    expect((await get("/readyz?verbose")).body).toBe(
      "[+]later ok: waits\n[+]none ok\n[+]noted ok: waits for the other\n[+]withheld ok\nreadyz check passed\n",
    );
    expect(await get("/readyz/noted")).toEqual({ status: 200, body: "ok" });
  });

  it("answers for one check, with the reason, and 404 for an unknown one", async () => {
    const checks = new HealthChecks("/healthz", systemClock);
    checks.add("bad", broken);
    checks.add("ok", () => {});
    const get = await serve(checks.handler);
    expect(await get("/healthz/ok")).toEqual({ status: 200, body: "ok" });
    expect(await get("/healthz/bad")).toEqual({
      status: 500,
      body: "internal server error: the database is gone\n",
    });
    expect((await get("/healthz/none")).status).toBe(404);
    expect(await get("/healthz/%zz")).toEqual({ status: 400, body: "400 Bad Request\n" });
  });

  it("names a check that does not return within 5 seconds, and cancels the deadline of one that does", async () => {
    const clock = new FakeClock();
    const checks = new HealthChecks("/healthz", clock);
    const called = Promise.withResolvers<void>();
    checks.add("hung", () => {
      called.resolve();
      return new Promise<void>(() => {});
    });
    checks.add("ok", () => {});
    const get = await serve(checks.handler);
    const answer = get("/healthz");
    await called.promise;
    await clock.advance(4_999);
    expect(await get("/healthz/ok")).toEqual({ status: 200, body: "ok" });
    expect(clock.waiting).toBe(1);
    await clock.advance(1);
    expect(await answer).toEqual({
      status: 500,
      body: "[-]hung failed: reason withheld\n[+]ok ok\nhealthz check failed\n",
    });
  });
});

it("accepts a host and a port, a port of every interface, or none", () => {
  expect(parseBindAddress("0")).toBeUndefined();
  expect(parseBindAddress("")).toBeUndefined();
  expect(parseBindAddress(":8080")).toEqual({ port: 8_080 });
  expect(parseBindAddress(":0")).toEqual({ port: 0 });
  expect(parseBindAddress("127.0.0.1:65535")).toEqual({ host: "127.0.0.1", port: 65_535 });
  expect(parseBindAddress("[::1]:1")).toEqual({ host: "::1", port: 1 });
});

it("refuses any other text, and reports the expected form", () => {
  for (const address of [
    "8080",
    "a",
    "a:",
    ":",
    ":65536",
    ":123456",
    "::1:80",
    "[]:80",
    "a:80x",
    "a:-1",
    "a:80 ",
    "a:8\n",
  ])
    expect(() => parseBindAddress(address)).toThrow(`cannot listen on "${address}"; use "host:port", ":port" or "0"`);
});
