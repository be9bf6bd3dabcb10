import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerHttp2Stream } from "node:http2";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { StubHttp2, stubCertificate } from "../testing/stub-http2.ts";
import { Connection } from "./connection.ts";

it("notifies the server of watches that are cancelled at any step before their response", async () => {
  await using api: StubHttp2 = await StubHttp2.start((stream) => {
    if (api.requests === 1) stream.respond({ ":status": 200 }, { endStream: true });
  });
  await using connection = new Connection({ server: api.url, insecureSkipTlsVerify: true });
  await connection.request({ path: "/version" });
  const enough = new Error("enough");

  for (let steps = 0; steps < 20; steps++) {
    const aborter = new AbortController();
    const watch = connection.stream({ path: "/watch", signal: aborter.signal });
    for (let step = 0; step < steps; step++) await null;
    aborter.abort(enough);
    await expect(watch).rejects.toBe(enough);
  }

  await expect.poll(() => api.requests).toBeGreaterThan(10);
  await expect.poll(() => api.streams.size).toBe(0);
});

it("ends connections that are being established on close", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const connection = new Connection({ server: `https://127.0.0.1:${port}` });

  const refused = expect(connection.request({ path: "/", method: "POST" })).rejects.toThrow("The client is destroyed");
  const [socket] = (await once(silent, "connection")) as [Socket];
  const ended = once(socket.on("error", () => {}).resume(), "close");
  await connection.close();

  await refused;
  await ended;
  silent.close();
});

it("refuses a URL that is too long for HTTP/2, because attempts would end the connection for other callers", async () => {
  await using api = await StubHttp2.start((stream) => stream.respond({ ":status": 200 }, { endStream: true }));
  await using connection = new Connection({ server: api.url, insecureSkipTlsVerify: true });
  const path = `/api/${"a".repeat(70_000)}`;
  for (const method of ["GET", "DELETE", "PATCH"] as const) {
    await expect(connection.request({ path, method, what: "get ConfigMap" })).rejects.toThrow(
      `get ConfigMap: the URL "${path.slice(0, 200)}…" is 70005 characters long; the maximum is 60000`,
    );
    await expect(connection.request({ path: path.slice(0, 60_000), method })).resolves.toMatchObject({ status: 200 });
  }
  await expect(connection.stream({ path: "/watch", query: { labelSelector: path } })).rejects.toThrow(
    "characters long",
  );
  expect(api.requests).toBe(3);
});

it("refuses a ping interval that is not positive", () => {
  expect(() => new Connection({ server: "https://127.0.0.1:1" }, { pingIntervalMs: 0 })).toThrow(
    new RangeError("pingIntervalMs must be positive, got 0; use false for no pings"),
  );
});

describe("a program whose certificate was refused", () => {
  /** A connection whose program prints the same certificate each time with another spelling, so that every refusal renews it. */
  const renewing = (server: string, clock: FakeClock) => {
    const folder = mkdtempSync(join(tmpdir(), "renewing-"));
    const count = join(folder, "count");
    writeFileSync(count, "");
    const source = `
      const fs = require("node:fs"); fs.appendFileSync(process.argv[1], "\\n"); const { cert, key } = JSON.parse(process.argv[2]);
      const status = { clientCertificateData: cert + fs.readFileSync(process.argv[1], "utf8"), clientKeyData: key };
      console.log(JSON.stringify({ kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", status }));`;
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", source, count, JSON.stringify(stubCertificate)],
    };
    const connection = new Connection({ server, exec, insecureSkipTlsVerify: true }, { clock, pingIntervalMs: false });
    return Object.assign(connection, {
      async [Symbol.asyncDispose]() {
        await connection.close();
        rmSync(folder, { recursive: true });
      },
    });
  };

  /** Answers 401 on sessions that were revoked; `/watch` is never ended. */
  const revocable = async () => {
    const revoked = new Set<ServerHttp2Stream["session"]>();
    const sessions = new Set<ServerHttp2Stream["session"]>();
    const api = await StubHttp2.start((stream, path) => {
      sessions.add(stream.session);
      if (revoked.has(stream.session)) return stream.respond({ ":status": 401 }, { endStream: true });
      stream.respond({ ":status": 200 }, { endStream: path !== "/watch" });
      if (path === "/watch") stream.write("begun");
    });
    const revoke = () => {
      for (const session of sessions) revoked.add(session);
    };
    return Object.assign(api, { sessions, revoke });
  };

  it("uses a new connection, and the former one ends at its deadline", async () => {
    const clock = new FakeClock();
    await using api = await revocable();
    await using connection = renewing(api.url, clock);
    const watch = await connection.stream({ path: "/watch" });
    const read = (async () => {
      for await (const _chunk of watch.chunks);
    })();
    const ended = expect(read).rejects.toThrow("GET");
    api.revoke();

    expect((await connection.request({ path: "/version" })).status).toBe(200);
    expect(api.sessions.size).toBe(2);
    expect(api.streams.size).toBe(1);
    await clock.advance(29_000);
    expect(api.streams.size).toBe(1);
    await clock.advance(1_000);
    await ended;
    expect((await connection.request({ path: "/version" })).status).toBe(200);
    expect(api.sessions.size).toBe(2);
  });

  it("keeps no watch of the former certificate open past close", async () => {
    await using api = await revocable();
    const connection = renewing(api.url, new FakeClock());
    const watch = await connection.stream({ path: "/watch" });
    const read = (async () => {
      for await (const _chunk of watch.chunks);
    })();
    const ended = expect(read).rejects.toThrow("GET");
    api.revoke();
    expect((await connection.request({ path: "/version" })).status).toBe(200);

    await connection[Symbol.asyncDispose]();
    await ended;
  });
});
