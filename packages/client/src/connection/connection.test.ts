import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { isStatusError, isTooManyRequests } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { StubApi, type StubTakeover } from "../testing/stub-api.ts";
import { Connection } from "./connection.ts";
import { isConnectionError } from "./connection-error.ts";

const folder = mkdtempSync(join(tmpdir(), "connection-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A clock on which waits take no time and are recorded. */
function hastyClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    ...systemClock,
    waits,
    sleep: async (ms) => {
      waits.push(ms);
    },
  };
}

function logged() {
  const lines: object[] = [];
  const destination = { write: (line: string): void => void lines.push(JSON.parse(line)) };
  return { log: createLogger({ destination }), lines };
}

describe("Connection.request", () => {
  it("sends user agent, token and impersonation, below the path of the server", async () => {
    await using api = await StubApi.start(() => ({ body: "ok" }));
    await using connection = new Connection({
      server: `${api.url}/k8s/clusters/c1/`,
      token: "secret",
      impersonate: { user: "jane", uid: "7", groups: ["a", "b"], extra: { "Acme.com/Reason": ["test"] } },
    });

    const response = await connection.request({ path: "/api", query: { limit: 5, watch: undefined, a: ["1", "2"] } });

    expect(response.body.toString()).toBe("ok");
    expect(api.requests[0]).toMatchObject({
      url: "/k8s/clusters/c1/api?limit=5&a=1&a=2",
      headers: {
        authorization: "Bearer secret",
        "impersonate-user": "jane",
        "impersonate-uid": "7",
        "impersonate-group": "a, b",
        "impersonate-extra-acme.com%2freason": "test",
        accept: "application/json",
      },
    });
    expect(api.requests[0]?.headers["user-agent"]).toMatch(/^kubewright\//);
  });

  it("keeps connections for requests that follow each other", async () => {
    await using api = await StubApi.start(() => ({ body: "ok" }));
    await using connection = new Connection({ server: api.url });

    for (let i = 0; i < 20; i++) await connection.request({ path: "/api" });

    // The pool may open a second connection while the first is still finishing its last response.
    expect(api.connections).toBeLessThanOrEqual(2);
  });

  it("decompresses responses", async () => {
    await using api = await StubApi.start(() => ({ headers: { "content-encoding": "gzip" }, body: gzipSync("plain") }));
    await using connection = new Connection({ server: api.url });

    expect((await connection.request({ path: "/" })).body.toString()).toBe("plain");
    expect(api.requests[0]?.headers["accept-encoding"]).toBe("gzip");
  });

  it("retries after the server's Retry-After, at most ten times", async () => {
    const clock = hastyClock();
    let refusals = 2;
    await using api = await StubApi.start(() =>
      refusals-- > 0 ? { status: 429, headers: { "retry-after": "3" } } : { body: "done" },
    );
    await using connection = new Connection({ server: api.url }, { clock });

    expect((await connection.request({ method: "POST", path: "/", body: "{}" })).body.toString()).toBe("done");
    expect(clock.waits).toEqual([3_000, 3_000]);
    expect(api.requests.map(({ body }) => body)).toEqual(["{}", "{}", "{}"]);

    refusals = 1_000;
    expect((await connection.request({ path: "/" })).status).toBe(429);
    expect(clock.waits).toHaveLength(12);
  });

  it("does not wait for another try once retryUntil has aborted, and returns the result of the last one", async () => {
    const clock = new FakeClock();
    const until = new AbortController();
    await using api = await StubApi.start(() => ({ status: 429, headers: { "retry-after": "3600" }, body: "later" }));
    await using connection = new Connection({ server: api.url }, { clock });
    const waiting = connection.request({ path: "/api", method: "POST", retryUntil: until.signal });
    await vi.waitFor(() => expect(clock.waiting).toBeGreaterThan(0));
    until.abort();
    expect(await waiting).toMatchObject({ status: 429 });
    expect((await connection.request({ path: "/api", retryUntil: until.signal })).body.toString()).toBe("later");
    expect(api.requests).toHaveLength(2);
  });

  it("warns of a wait beyond a minute, and reports each wait to the request", async () => {
    const { log: logger, lines } = logged();
    const answers = ["60", "61", "99999999"].map((time) => ({ status: 503, headers: { "retry-after": time } }));
    const broken: StubTakeover = (_response, { socket }) => void socket.destroy();
    const all = [...answers, broken];
    await using api = await StubApi.start(() => all.shift() ?? { body: "done" });
    await using connection = new Connection({ server: api.url }, { clock: hastyClock(), logger });
    const reported: unknown[] = [];
    const onRetry = (error: Error): void => void reported.push(isStatusError(error) ? error.code : error.name);
    expect((await connection.request({ path: "/api", onRetry })).body.toString()).toBe("done");
    expect(reported).toEqual([503, 503, 503, "ConnectionError"]);
    expect(lines).toMatchObject([
      { level: "warn", status: 503, path: "/api", retryAfterMs: 61_000 },
      { level: "warn", status: 503, path: "/api", retryAfterMs: 99_999_999_000 },
    ]);
  });

  it("returns a refusal without Retry-After at once", async () => {
    await using api = await StubApi.start(() => ({ status: 503 }));
    await using connection = new Connection({ server: api.url }, { clock: hastyClock() });

    expect((await connection.request({ path: "/" })).status).toBe(503);
    expect(api.requests).toHaveLength(1);
  });

  it("repeats a read whose connection broke, but not a write", async () => {
    const clock = hastyClock();
    let breaks = 1;
    await using api = await StubApi.start(() =>
      breaks-- > 0 ? (_response, { socket }) => void socket.destroy() : { body: "ok" },
    );
    await using connection = new Connection({ server: api.url }, { clock });

    expect((await connection.request({ path: "/" })).body.toString()).toBe("ok");
    expect(clock.waits).toEqual([1_000]);

    breaks = 1;
    await expect(
      connection.request({ method: "POST", path: "/x", what: "create Pod a/b", body: "{}" }),
    ).rejects.toThrow(`create Pod a/b: POST ${api.url}/x: `);
  });

  it("reports the attempted call if no server is listening", async () => {
    await using connection = new Connection({ server: "http://127.0.0.1:1" });
    const failure = await connection
      .request({ path: "/api/v1/pods", what: "list Pod" })
      .catch((error: unknown) => error);

    expect(isConnectionError(failure)).toBe(true);
    expect(failure).toMatchObject({
      message: "list Pod: GET http://127.0.0.1:1/api/v1/pods: connect ECONNREFUSED 127.0.0.1:1",
      cause: { code: "ECONNREFUSED" },
    });
  });

  it("rejects with the signal's reason when it aborts", async () => {
    await using api = await StubApi.start(() => () => {});
    await using connection = new Connection({ server: api.url });
    const aborter = new AbortController();
    const pending = connection.request({ path: "/", signal: aborter.signal });
    const reason = new Error("enough");
    setImmediate(() => aborter.abort(reason));

    await expect(pending).rejects.toBe(reason);
    await expect(connection.request({ path: "/", signal: aborter.signal })).rejects.toBe(reason);
  });

  it("refuses invalid addresses", () => {
    expect(() => new Connection({ server: "localhost" })).toThrow('"localhost" is not a valid API server address');
  });
});

describe("Connection.stream", () => {
  it("yields the body as it arrives and closes the connection when the loop is left", async () => {
    let closed = false;
    await using api = await StubApi.start(() => (response, { socket }) => {
      socket.once("close", () => {
        closed = true;
      });
      response.write("one");
    });
    await using connection = new Connection({ server: api.url });

    const { chunks } = await connection.stream({ path: "/" });
    for await (const chunk of chunks) {
      expect(chunk.toString()).toBe("one");
      break;
    }
    await expect.poll(() => closed).toBe(true);
  });

  it("throws a refusal as StatusError", async () => {
    await using api = await StubApi.start(() => ({ status: 429, body: "slow down" }));
    await using connection = new Connection({ server: api.url });

    const failure = await connection.stream({ path: "/" }).catch((error: unknown) => error);
    expect(isTooManyRequests(failure)).toBe(true);
  });

  it.each([
    [399, false],
    [400, true],
  ])("treats a response with %i as a refusal: %s", async (status, isRefusal) => {
    await using api = await StubApi.start(() => ({ status, body: "no" }));
    await using connection = new Connection({ server: api.url });
    const streamed = connection.stream({ path: "/" });
    if (isRefusal) await expect(streamed).rejects.toThrow();
    else (await streamed).cancel();
  });

  it.each(["gzip", "identity"])("accepts an uncompressed response, but not a compressed one: %s", async (encoding) => {
    await using api = await StubApi.start(() => ({ headers: { "content-encoding": encoding }, body: "{}" }));
    await using connection = new Connection({ server: api.url });
    const streamed = connection.stream({ path: "/", what: "watch Pod" });
    if (encoding === "identity") (await streamed).cancel();
    else await expect(streamed).rejects.toThrow("watch Pod: the response is compressed (content-encoding: gzip)");
    expect(api.requests[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("throws a ConnectionError when the stream is cut", async () => {
    await using api = await StubApi.start(() => (response, { socket }) => {
      response.write("one", () => socket.destroy());
    });
    await using connection = new Connection({ server: api.url });

    const { chunks } = await connection.stream({ path: "/w", what: "watch Pod" });
    const read = async (): Promise<void> => {
      for await (const chunk of chunks) expect(chunk.toString()).toBe("one");
    };
    await expect(read()).rejects.toThrow(`watch Pod: GET ${api.url}/w: `);
  });

  it("makes the server wait while the body is not read", async () => {
    let written = 0;
    await using api = await StubApi.start(() => (response) => {
      const more = (): void => {
        while (written < 64 << 20) {
          written += 1 << 16;
          if (!response.write(Buffer.alloc(1 << 16))) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    await using connection = new Connection({ server: api.url });

    const { chunks } = await connection.stream({ path: "/" });
    let before = -1;
    const isStill = (): boolean => {
      const still = before === written;
      before = written;
      return still;
    };
    await expect.poll(isStill, { interval: 100 }).toBe(true);
    expect(written).toBeLessThan(32 << 20);
    let read = 0;
    for await (const chunk of chunks) read += chunk.length;
    expect(read).toBe(64 << 20);
  });
});

it.each([301, 302, 303, 307, 308])("follows no redirect, and reports the target of a %i", async (status) => {
  await using other = await StubApi.start(() => ({ body: "elsewhere" }));
  await using api = await StubApi.start(() => ({ status, headers: { location: `${other.url}/api?x=1` } }));
  await using connection = new Connection({ server: api.url, token: "secret" });
  const problem =
    `the server redirects to "${other.url}/api?x=1" (status ${status}), and redirects are not followed; set the server to the address ` +
    "of the API server itself";
  const path = "/api/v1/pods";
  for (const method of ["GET", "POST"] as const)
    await expect(connection.request({ method, path, what: "list Pod" })).rejects.toThrow(
      `list Pod: ${method} ${api.url}${path}: ${problem}`,
    );
  await expect(connection.stream({ path, what: "watch Pod" })).rejects.toThrow(
    `watch Pod: GET ${api.url}${path}: ${problem}`,
  );
  expect(other.requests).toEqual([]);
});

it("uses the proxy of the environment, unless the settings contain one or the server is on this machine", async () => {
  const answering = (name: string) => StubApi.start(({ url }) => ({ body: `${name} ${url}` }));
  await using env = await answering("environment");
  await using own = await answering("own");
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("HTTP_PROXY", env.url);
  vi.stubEnv("NO_PROXY", "");
  const ask = async (settings: ConnectionSettings): Promise<string> => {
    await using connection = new Connection(settings);
    return (await connection.request({ path: "/version" })).body.toString();
  };
  expect(await ask({ server: "http://api.test:8080" })).toBe("environment http://api.test:8080/version");
  expect(await ask({ server: "http://api.test:8080", proxyUrl: own.url })).toBe("own http://api.test:8080/version");
  expect(await ask({ server: own.url })).toBe("own /version");
  expect(env.requests).toHaveLength(1);
});

describe("credentials", () => {
  it("reads a token file again as it ages, and at once when the token is refused", async () => {
    let monotonic = 0;
    const clock = { ...hastyClock(), monotonic: () => monotonic };
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, "one\n");
    await using api = await StubApi.start(({ headers }) =>
      headers.authorization === "Bearer revoked" ? { status: 401 } : { body: headers.authorization ?? "" },
    );
    await using connection = new Connection({ server: api.url, tokenFile }, { clock });
    const ask = async (): Promise<string> => (await connection.request({ path: "/" })).body.toString();

    expect(await ask()).toBe("Bearer one");
    writeFileSync(tokenFile, "revoked");
    expect(await ask()).toBe("Bearer one");
    monotonic += 60_000;
    expect((await connection.request({ path: "/" })).status).toBe(401);
    writeFileSync(tokenFile, "three");
    expect(await ask()).toBe("Bearer three");
  });

  it("uses the last token while its file is missing or empty", async () => {
    let monotonic = 0;
    const clock = { ...hastyClock(), monotonic: () => monotonic };
    const { log: logger, lines } = logged();
    const tokenFile = join(folder, "token-that-goes");
    writeFileSync(tokenFile, " \n");
    let accepted = "one";
    await using api = await StubApi.start(({ headers }) =>
      headers.authorization === `Bearer ${accepted}` ? { body: accepted } : { status: 401 },
    );
    await using connection = new Connection({ server: api.url, tokenFile }, { clock, logger });
    const ask = async (): Promise<number> => (await connection.request({ path: "/" })).status;

    await expect(ask()).rejects.toThrow(`the token file ${tokenFile} is empty; write the bearer token to it`);
    expect(api.requests).toEqual([]);
    writeFileSync(tokenFile, "one");
    expect(await ask()).toBe(200);
    monotonic += 60_000;
    rmSync(tokenFile);
    expect([await ask(), await ask()]).toEqual([200, 200]);
    writeFileSync(tokenFile, "");
    expect(await ask()).toBe(200);
    expect(lines).toMatchObject([{ level: "warn", tokenFile }]);
    accepted = "two";
    expect(await ask()).toBe(401);
    rmSync(tokenFile);
    expect(await ask()).toBe(401);
    writeFileSync(tokenFile, "two");
    expect(await ask()).toBe(200);
    accepted = "three";
    writeFileSync(tokenFile, "three");
    expect(await ask()).toBe(200);
  });

  it("reads a token only from a regular file, up to 1 MiB", async () => {
    const large = join(folder, "large-token");
    writeFileSync(large, "a".repeat((1 << 20) + 1));
    await using api = await StubApi.start(() => ({}));
    const ask = async (tokenFile: string): Promise<unknown> => {
      await using connection = new Connection({ server: api.url, tokenFile });
      return connection.request({ path: "/" });
    };
    await expect(ask(large)).rejects.toThrow("it is larger than 1048576 bytes");
    await expect(ask(folder)).rejects.toThrow(`the token file ${folder} is not a regular file`);
    await expect(ask("/dev/zero")).rejects.toThrow("the token file /dev/zero is not a regular file");
    expect(api.requests).toEqual([]);
  });

  it("cancels a request that waits for a program when its signal aborts, and all when the connection is closed", async () => {
    const connection = new Connection({
      server: "http://127.0.0.1:1",
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: process.execPath,
        args: ["-e", "setInterval(() => {}, 1000)"],
      },
    });
    const stop = new AbortController();
    const given = connection.request({ path: "/", signal: stop.signal });
    const other = connection.request({ path: "/" });
    other.catch(() => {});
    stop.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    await connection.close();
    await expect(other).rejects.toThrow(
      `GET http://127.0.0.1:1/: the credential plugin ${process.execPath} failed: the connection is closed`,
    );
  });

  it("sends user name and password", async () => {
    await using api = await StubApi.start(({ headers }) => ({ body: headers.authorization ?? "" }));
    await using connection = new Connection({ server: api.url, username: "a", password: "b" });

    expect((await connection.request({ path: "/" })).body.toString()).toBe("Basic YTpi");
  });

  it("runs a program for the token, and again when the token is refused", async () => {
    const counter = join(folder, "count");
    writeFileSync(counter, "0");
    const program = `
      const fs = require("node:fs"); const n = Number(fs.readFileSync(process.argv[1], "utf8")) + 1; fs.writeFileSync(process.argv[1], String(n));
      const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      console.log(JSON.stringify({ kind: "ExecCredential", apiVersion: info.apiVersion, status: { token: "t" + n + process.env.EXTRA } }));`;
    await using api = await StubApi.start(({ headers }) =>
      headers.authorization === "Bearer t1x" ? { status: 401 } : { body: headers.authorization ?? "" },
    );
    await using connection = new Connection({
      server: api.url,
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: process.execPath,
        args: ["-e", program, counter],
        env: [{ name: "EXTRA", value: "x" }],
      },
    });

    expect((await connection.request({ path: "/" })).body.toString()).toBe("Bearer t2x");
    expect((await connection.request({ path: "/" })).body.toString()).toBe("Bearer t2x");
  });

  it("names the program that fails", async () => {
    await using connection = new Connection({
      server: "http://127.0.0.1:1",
      exec: { apiVersion: "client.authentication.k8s.io/v1", command: "no-such-program", installHint: "Install it." },
    });

    await expect(connection.request({ path: "/" })).rejects.toThrow(/no-such-program/);
  });
});
