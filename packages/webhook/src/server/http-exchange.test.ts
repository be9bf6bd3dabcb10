import { once } from "node:events";
import { connect } from "node:http2";
import { get } from "node:https";
import { connect as connectTls } from "node:tls";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { EndpointParts, HttpCall, HttpResponse } from "../endpoint/endpoint.ts";
import { noMetrics, type WebhookMetrics } from "../endpoint/webhook-metrics.ts";
import { authority, RunningServer } from "../testing/running-server.ts";
import { newServer } from "../webhook.ts";

/** Starts a server with one path and metrics. */
async function serving(answer: (call: HttpCall, parts: EndpointParts) => Promise<HttpResponse>) {
  const clock = new FakeClock();
  const counted = { inFlight: 0, codes: [] as string[], seconds: [] as number[] };
  const metrics: WebhookMetrics = {
    ...noMetrics,
    forPath: () => ({
      inFlight: { inc: () => void counted.inFlight++, dec: () => void counted.inFlight-- },
      latency: { observe: (seconds) => void counted.seconds.push(seconds) },
      requests: (code) => ({ inc: () => void counted.codes.push(code) }),
    }),
  };
  const webhook = {
    endpoints: [{ path: "/x", purpose: "test", answer }],
    declarations: [],
    conversions: [],
    newServer,
  };
  return { clock, counted, server: await RunningServer.start([webhook], { clock, metrics }) };
}

it.each([
  [200, '{"a":1}', '{"a":1}'],
  [400, "", ""],
])("answers with %i and the body %j, and counts the call and its duration", async (status, body, text) => {
  const asked = Promise.withResolvers<HttpCall>();
  const held = Promise.withResolvers<void>();
  const { server, counted, clock } = await serving(async (call) => {
    asked.resolve(call);
    await held.promise;
    return { status, body };
  });
  await using _ = server;
  const answer = server.post("/x?a=b", {}, { "x-some": "thing" });
  const { path, query, headers, signal } = await asked.promise;
  expect([path, query.get("a"), headers["x-some"], signal.aborted]).toEqual(["/x", "b", "thing", false]);
  expect(counted).toEqual({ inFlight: 1, codes: [], seconds: [] });
  await clock.advance(2_500);
  held.resolve();
  expect(await answer).toEqual({ status, text, review: text === "" ? undefined : JSON.parse(text) });
  await expect.poll(() => counted).toEqual({ inFlight: 0, codes: [String(status)], seconds: [2.5] });
});

it("sends Retry-After if the endpoint returns it", async () => {
  const { server } = await serving(async () => ({ status: 429, body: "{}", retryAfterSeconds: 1 }));
  await using _ = server;
  const address = { host: "127.0.0.1", port: server.server.port, path: "/x", ca: authority.certificate };
  const [answer] = await once(get(address), "response");
  answer.resume();
  expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([429, "1"]);
});

it("closes the connection of a caller that does not read its answer within 30 seconds", async () => {
  const held: (number | string | undefined)[] = [];
  const { server, clock, counted } = await serving(async ({ query, peer }, { bodies }) => {
    if (query.has("held")) held.push(peer, bodies.used);
    return { status: 200, body: query.has("held") ? "{}" : JSON.stringify("x".repeat(32 * 1024 * 1024)) };
  });
  await using _ = server;
  const address = { host: "127.0.0.1", port: server.server.port ?? 0, ca: authority.certificate };
  const socket = connectTls({ ...address, ALPNProtocols: ["http/1.1"] });
  let isClosed = false;
  socket.once("close", () => (isClosed = true));
  socket.on("error", () => {});
  socket.write("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  socket.pause();
  await expect.poll(() => counted.codes).toEqual(["200"]);
  await server.post("/x?held", {});
  await clock.advance(29_999);
  expect(isClosed).toBe(false);
  await clock.advance(1);
  socket.resume();
  await expect.poll(() => isClosed).toBe(true);
  await server.post("/x?held", {});
  expect(held).toEqual(["127.0.0.1", 32 * 1024 * 1024 + 2, "127.0.0.1", 0]);
});

it("closes the connection if an endpoint fails, and counts 500", async () => {
  const { server, counted } = await serving(() => Promise.reject(new Error("no answer")));
  await using _ = server;
  await expect(server.post("/x", {})).rejects.toThrow("socket hang up");
  await expect.poll(() => counted).toMatchObject({ inFlight: 0, codes: ["500"] });
});

it("closes only the stream if the connection has several", async () => {
  const { server } = await serving(async ({ query }) => {
    if (query.has("fails")) throw new Error("no answer");
    return { status: 200, body: "{}" };
  });
  await using _ = server;
  const session = connect(`https://127.0.0.1:${server.server.port}`, { ca: authority.certificate });
  const ask = (path: string): Promise<number> =>
    new Promise((resolve) => {
      let status = 0;
      const stream = session.request({ ":path": path });
      stream.once("response", (headers) => (status = headers[":status"] ?? 0));
      stream.once("error", () => {});
      stream.once("close", () => resolve(status));
      stream.resume();
    });
  expect([await ask("/x?fails"), await ask("/x")]).toEqual([0, 200]);
  session.destroy();
});

it.each(["session", "stream"])("aborts an endpoint's signal when its caller closes the %s", async (which) => {
  const asked = Promise.withResolvers<AbortSignal>();
  const { server } = await serving(({ signal }) => {
    asked.resolve(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  });
  await using _ = server;
  const session = connect(`https://127.0.0.1:${server.server.port}`, { ca: authority.certificate });
  const stream = session.request({ ":path": "/x" });
  stream.on("error", () => {});
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  if (which === "session") session.destroy();
  else stream.close();
  await expect.poll(() => signal.aborted).toBe(true);
  expect(String(signal.reason)).toBe("CallerGone: the caller closed the connection");
  session.destroy();
});

it("aborts an endpoint's signal when its HTTP/1.1 caller disconnects, but not after the answer", async () => {
  const signals: AbortSignal[] = [];
  const held = Promise.withResolvers<void>();
  const { server } = await serving(async ({ signal, query }) => {
    signals.push(signal);
    if (query.has("waits")) await Promise.race([held.promise, once(signal, "abort")]);
    return { status: 200, body: "{}" };
  });
  await using _ = server;
  await server.post("/x", {});
  const address = { host: "127.0.0.1", port: server.server.port, path: "/x?waits", ca: authority.certificate };
  const request = get(address).on("error", () => {});
  await expect.poll(() => signals).toHaveLength(2);
  request.destroy();
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  held.resolve();
});
