import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest } from "node:https";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { defineKind, typedSchema } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AdmissionHandler } from "./admission/admission-context.ts";
import { allowed } from "./admission/response.ts";
import { admission } from "./admission.ts";
import { admissionHandler } from "./admission-handler.ts";
import { conversion } from "./conversion.ts";
import { authority, RunningServer, reviewOf, siteObject } from "./testing/running-server.ts";
import { tokenReviewHandler } from "./token-review-handler.ts";

const handled = (handler: AdmissionHandler) => admissionHandler("/x", {}, handler);
const Site = defineKind({
  ...{ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" },
  spec: typedSchema<{ items: { name: string; size: number; tags?: string[] }[] }>({
    type: "object",
    properties: {
      items: {
        type: "array",
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            size: { type: "integer" },
            tags: { type: "array", items: { type: "string" } },
          },
        },
      },
    },
    required: ["items"],
  }),
});

const unhandled = (): { readonly seen: unknown[]; [Symbol.dispose](): void } => {
  const seen: unknown[] = [];
  const listen = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", listen);
  return { seen, [Symbol.dispose]: () => void process.off("unhandledRejection", listen) };
};

describe("time", () => {
  it("limits a call to the API server's timeout: the signal aborts, and an error names the webhook", async () => {
    using rejections = unhandled();
    const clock = new FakeClock();
    const lines: string[] = [];
    const logger = createLogger({ destination: { write: (line) => void lines.push(line) } });
    const asked = Promise.withResolvers<AbortSignal>();
    const late = Promise.withResolvers<never>();
    const slow = handled(({ signal }) => {
      asked.resolve(signal);
      return late.promise;
    });
    await using server = await RunningServer.start([slow], { clock, logger });
    const answer = server.post("/x?timeout=5s", reviewOf({}));
    const signal = await asked.promise;
    await clock.advance(4_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(String(signal.reason)).toContain("the webhook /x did not respond within 5s");
    expect(await answer).toMatchObject({
      status: 504,
      review: { kind: "Status", code: 504, message: "the webhook /x did not respond within 5s" },
    });
    expect(lines.join("")).toContain("a webhook took too long");
    late.reject(new Error("far too late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections.seen).toEqual([]);
  });

  it.each([["10h"], ["-1s"], ["0"], ["soon"], ["9".repeat(40)], [""]])(
    "limits a call whatever timeout the caller asks for: %s",
    async (timeout) => {
      const clock = new FakeClock();
      const asked = Promise.withResolvers<AbortSignal>();
      const slow = handled(({ signal }) => {
        asked.resolve(signal);
        return new Promise(() => {});
      });
      await using server = await RunningServer.start([slow], { clock });
      const answer = server.post(`/x?timeout=${timeout}`, reviewOf({}));
      await asked.promise;
      await clock.advance(30_000);
      expect((await answer).status).toBe(504);
    },
  );

  it.each([
    ["Content-Length", "http/1.1"],
    ["chunks", "http/1.1"],
    ["HTTP/2", "h2"],
  ])("gives up a body of which nothing arrives for 2 seconds, sent by %s", async (how, protocol) => {
    const clock = new FakeClock();
    await using server = await RunningServer.start([handled(() => allowed())], { clock });
    const { port } = server.server;
    const type = { "content-type": "application/json" };
    let write: (text: string) => void = () => {};
    const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
      const address = { method: "POST", host: "127.0.0.1", port, path: "/x", ca: authority.certificate };
      if (protocol === "h2") {
        const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: authority.certificate });
        const stream = session.request({ ":method": "POST", ":path": "/x", ...type });
        write = (text) => void stream.write(text);
        stream.once("error", reject);
        let [status, text] = [0, ""];
        stream.once("response", (headers) => (status = headers[":status"] ?? 0));
        stream.on("data", (chunk) => (text += chunk));
        stream.once("end", () => {
          resolve({ status, text });
          session.destroy();
        });
        return;
      }
      const headers = how === "chunks" ? type : { ...type, "content-length": 1_000 };
      const request = httpsRequest({ ...address, headers }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        request.destroy();
      });
      write = (text) => void request.write(text);
      request.once("error", reject);
    });
    let isOver = false;
    void answer.then(() => (isOver = true));
    write("{");
    await vi.waitFor(() => expect(server.server.inspect().callsInFlight).toBe(1));
    for (const ms of [1_500, 1_500, 1_500]) {
      await new Promise((resolve) => setTimeout(resolve, 50)); // lets the written bytes arrive
      await clock.advance(ms);
      write(" ");
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    await clock.advance(1_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    const { status, text } = await answer;
    expect([status, JSON.parse(text)]).toMatchObject([
      408,
      { kind: "Status", code: 408, message: "the request body did not arrive in time" },
    ]);
  });
});

describe("memory", () => {
  it("is limited for all calls together: the server refuses more, and serves again later", async () => {
    const go = Promise.withResolvers<void>();
    let waiting = 0;
    const slow = handled(async () => {
      waiting++;
      await go.promise;
      return allowed();
    });
    await using server = await RunningServer.start([slow], { maxBodyBytesInFlight: 2 * 1024 * 1024 });
    const large = reviewOf({ object: { metadata: {}, text: "x".repeat(900_000) } });
    const first = [server.post("/x", large), server.post("/x", large)];
    await vi.waitFor(() => expect(waiting).toBe(2));
    expect(await server.post("/x", large)).toMatchObject({
      status: 429,
      review: { kind: "Status", code: 429, message: "too many requests are being served; try again" },
    });
    go.resolve();
    for (const answer of await Promise.all(first)) expect(answer.review.response.allowed).toBe(true);
    expect((await server.post("/x", large)).review.response.allowed).toBe(true);
  });

  it("is not taken from small requests by large ones that stall, nor for longer than 2 seconds", async () => {
    const clock = new FakeClock();
    await using server = await RunningServer.start([handled(() => allowed())], {
      clock,
      maxBodyBytesInFlight: 1024 * 1024,
    });
    const address = { host: "127.0.0.1", port: server.server.port ?? 0, ca: authority.certificate };
    const answers: string[] = [];
    const halfway = (bytes: number) => {
      const socket = connectTls({ ...address, ALPNProtocols: ["http/1.1"] });
      socket.on("error", () => {});
      socket.on("data", (data) => answers.push(String(data).split(" ")[1] ?? ""));
      const head = `POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes + 1}\r\n\r\n`;
      socket.write(head);
      socket.write(" ".repeat(bytes));
      return socket;
    };
    const sockets = Array.from({ length: 4 }, () => halfway(280_000));
    await vi.waitFor(() => expect(answers).toEqual(["429"])); // there is room for three
    expect((await server.post("/x", reviewOf({}))).review.response.allowed).toBe(true);
    const large = reviewOf({ object: { text: "x".repeat(280_000) } });
    expect((await server.post("/x", large)).status).toBe(429);
    await clock.advance(2_000);
    await vi.waitFor(() => expect(answers).toEqual(["429", "408", "408", "408"]));
    expect((await server.post("/x", large)).review.response.allowed).toBe(true);
    for (const socket of sockets) socket.destroy();
  });

  it("is returned by callers that disconnect", async () => {
    const go = Promise.withResolvers<void>();
    let waiting = 0;
    const slow = handled(async () => {
      waiting++;
      await go.promise;
      throw new Error("nobody hears this");
    });
    using rejections = unhandled();
    await using server = await RunningServer.start([slow], { maxBodyBytesInFlight: 100_000 });
    const address = {
      method: "POST",
      host: "127.0.0.1",
      port: server.server.port,
      path: "/x",
      ca: authority.certificate,
    };
    const request = httpsRequest({ ...address, headers: { "content-type": "application/json" } });
    request.once("error", () => {});
    request.end(JSON.stringify(reviewOf({ name: "x".repeat(50_000) })));
    await vi.waitFor(() => expect(waiting).toBe(1));
    request.destroy();
    go.resolve();
    await vi.waitFor(async () => {
      const { review } = await server.post("/x", reviewOf({ name: "x".repeat(50_000) }));
      expect(review.response.status.message).toBe("nobody hears this");
    });
    expect(rejections.seen).toEqual([]);
  });

  it("does not hold a body that is too large over HTTP/2, and keeps the connection", async () => {
    await using server = await RunningServer.start([handled(() => allowed())]);
    const session = connectHttp2(`https://127.0.0.1:${server.server.port}`, { ca: authority.certificate });
    const send = async (length: number): Promise<string> => {
      const stream = session.request({ ":method": "POST", ":path": "/x", "content-type": "application/json" });
      stream.on("error", () => {});
      stream.end(length === 0 ? JSON.stringify(reviewOf({})) : Buffer.alloc(length, " "));
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    expect(JSON.parse(await send(8 * 1024 * 1024)).response.status.code).toBe(413);
    expect(JSON.parse(await send(0)).response.allowed).toBe(true);
    session.destroy();
  });
});

describe("calls other than admission", () => {
  const conversionReview = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: {
      uid: "1",
      desiredAPIVersion: "shop.example.com/v2",
      objects: [{ apiVersion: "shop.example.com/v1", kind: "Site", metadata: { name: "a" } }],
    },
  };
  const tokenReview = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "t" } };

  it.each([
    ["/convert", conversionReview],
    ["/token", tokenReview],
  ])("fail with an HTTP status if they take too long or there are too many: %s", async (path, body) => {
    const clock = new FakeClock();
    const asked = Promise.withResolvers<void>();
    const never = (): Promise<never> => {
      asked.resolve();
      return new Promise(() => {});
    };
    const webhooks = [
      tokenReviewHandler("/token", never),
      conversion({ group: "shop.example.com", kind: "Site", convert: never }),
    ];
    await using server = await RunningServer.start(webhooks, { clock, maxBodyBytesInFlight: 30_000 });
    const answer = server.post(`${path}?timeout=5s`, body);
    await asked.promise;
    expect(await server.post(path, body)).toMatchObject({ status: 429, review: { kind: "Status", code: 429 } });
    await clock.advance(5_000);
    expect(await answer).toMatchObject({
      status: 504,
      review: { kind: "Status", message: `the webhook ${path} did not respond within 5s` },
    });
  });
});

it("keeps serving after more idle connections were opened than it accepts", async () => {
  await using server = await RunningServer.start([handled(() => allowed())]);
  const sockets = Array.from({ length: 600 }, () =>
    connectTcp({ port: server.server.port ?? 0, host: "127.0.0.1" })
      .on("error", () => {})
      .resume(),
  );
  await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(88), 10_000);
  expect((await server.post("/x", reviewOf({}))).review.response.allowed).toBe(true);
  for (const socket of sockets) socket.destroy();
});

describe("a patch", () => {
  const items = Array.from({ length: 500 }, (_, i) => ({
    name: `item-${i}`,
    size: i,
    tags: ["a", "b"],
    unknown: { i },
  }));
  const withDefaults = (
    changes: (site: { spec: { items: { name: string; size: number; tags?: string[] }[] } }) => void,
  ) => admission(Site).default(changes);
  const path = "/mutate-shop-example-com-v1-site";
  const body = reviewOf({ object: siteObject({ items }) });

  it("of a list of 500 items takes milliseconds", async () => {
    await using server = await RunningServer.start([
      withDefaults((site) => {
        for (const [index, item] of site.spec.items.entries()) if (index % 2 === 0) item.size += 1_000;
      }),
    ]);
    await server.post(path, body);
    const started = performance.now();
    for (let i = 0; i < 10; i++) await server.post(path, body);
    const eachMs = (performance.now() - started) / 10;
    const answer = await server.post(path, body);
    expect(JSON.parse(Buffer.from(answer.review.response.patch, "base64").toString())).toHaveLength(250);
    expect(eachMs).toBeLessThan(100);
  });

  it("of a reversed list is still linear, and one of very many steps replaces the parents", async () => {
    await using server = await RunningServer.start([
      withDefaults((site) => {
        site.spec.items.reverse();
        site.spec.items.shift();
      }),
    ]);
    const many = Array.from({ length: 12_000 }, (_, i) => ({ name: `item-${i}`, size: i }));
    const started = performance.now();
    const answer = await server.post(path, reviewOf({ object: siteObject({ items: many }) }));
    expect(performance.now() - started).toBeLessThan(2_000);
    const steps = JSON.parse(Buffer.from(answer.review.response.patch, "base64").toString());
    expect(steps.map(({ op, path: at }: { op: string; path: string }) => [op, at])).toEqual([["replace", "/spec"]]);
  });

  it("of an object of the maximum depth is fast too", async () => {
    let deep: unknown = { leaf: 1, filler: "x" };
    for (let level = 0; level < 480; level++) deep = { filler: Array.from({ length: 100 }, (_, i) => i), deeper: deep };
    await using server = await RunningServer.start([
      withDefaults((site) => {
        let at: Record<string, unknown> = site.spec as Record<string, unknown>;
        while (at.deeper) at = at.deeper as Record<string, unknown>;
        at.leaf = 2;
      }),
    ]);
    const started = performance.now();
    const answer = await server.post(path, reviewOf({ object: siteObject(deep) }));
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(answer.review.response).toMatchObject({ allowed: true, patchType: "JSONPatch" });
  });
});

it("blames the sender, not the defaulter, for an object that the schema rejects", async () => {
  let panics = 0;
  const nothing = { inc: () => {}, dec: () => {}, observe: () => {} };
  const metrics = {
    forPath: () => ({ latency: nothing, inFlight: nothing, requests: () => nothing }),
    panics: { inc: () => panics++ },
    conversionPanics: nothing,
  };
  const first = admission(Site).default((site) => void site.spec.items[0]?.name.trim());
  await using server = await RunningServer.start([first], { metrics });
  const ask = async (spec: unknown) =>
    (await server.post("/mutate-shop-example-com-v1-site", reviewOf({ object: siteObject(spec) }))).review.response;
  expect(await ask({})).toMatchObject({
    status: { code: 422, message: expect.stringContaining("spec.items: Required") },
  });
  expect(panics).toBe(0);
  const mistaken = admission(Site)
    .default(() => {
      throw new TypeError("a mistake");
    })
    .withOptions({ defaultPath: "/mistaken" });
  server.server.add(mistaken);
  const answer = await server.post("/mistaken", reviewOf({ object: siteObject({ items: [] }) }));
  expect(answer.review.response.status).toMatchObject({ code: 500, message: "panic: a mistake [recovered]" });
  expect(panics).toBe(1);
});

it("finishes calls in progress when it has to stop", async () => {
  const go = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const slow = handled(async () => {
    asked.resolve();
    await go.promise;
    return allowed();
  });
  await using server = await RunningServer.start([slow]);
  const answer = server.post("/x", reviewOf({}));
  await asked.promise;
  const stopped = server.stop();
  go.resolve();
  expect((await answer).review.response.allowed).toBe(true);
  await stopped;
});

it.each<[string, boolean, string[], string]>([
  ["no TLS", false, [], "GET /x HTTP/1.1\r\n\r\n"],
  ["no HTTP", true, ["http/1.1"], "\u0000\u0001garbage\r\n\r\n"],
  ["no HTTP/2", true, ["h2"], "\u0000\u0001garbage\r\n\r\n"],
  ["CONNECT", true, ["http/1.1"], "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n"],
  ["an upgrade", true, ["http/1.1"], "GET /x HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
  ["a strange path", true, ["http/1.1"], "POST //?x HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n"],
  ["headers without end", true, ["http/1.1"], `GET /x HTTP/1.1\r\n${"a: b\r\n".repeat(10_000)}`],
])("keeps serving after a peer sent %s", async (_what, isTls, ALPNProtocols, text) => {
  await using server = await RunningServer.start([handled(() => allowed())]);
  const address = { port: server.server.port ?? 0, host: "127.0.0.1" };
  const socket = isTls ? connectTls({ ...address, ca: authority.certificate, ALPNProtocols }) : connectTcp(address);
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
    socket.once("data", () => resolve());
    socket.write(text);
  });
  expect((await server.post("/x", reviewOf({}))).review.response.allowed).toBe(true);
  socket.destroy();
});

describe("the log", () => {
  const token = tokenReviewHandler("/token", () => ({ authenticated: false }));
  const sites = conversion({ group: "x.io", kind: "Site", convert: (object) => object });

  it.each(["/x", "/token", "/convert"])("contains at most 50 failed calls in ten seconds: %s", async (path) => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const logger = createLogger({ destination: { write: (line) => void lines.push(line) } });
    const webhooks = [handled(() => allowed()), token, sites];
    await using server = await RunningServer.start(webhooks, { clock, logger });
    lines.length = 0;
    const fail = (calls: number) => Promise.all(Array.from({ length: calls }, () => server.post(path, "{")));
    await fail(60);
    expect(lines).toHaveLength(50);
    await clock.advance(10_000);
    await fail(2);
    expect(lines.slice(50).map((line) => JSON.parse(line).unloggedFailures)).toEqual([10, undefined]);
  });
});

it("shares one connection between concurrent readiness checks", async () => {
  await using server = await RunningServer.start([]);
  let connections = 0;
  const count = (): void => void connections++;
  subscribe("net.client.socket", count);
  onTestFinished(() => void unsubscribe("net.client.socket", count));
  await Promise.all(Array.from({ length: 20 }, () => server.server.check()));
  expect(connections).toBe(1);
  await server.server.check();
  expect(connections).toBe(2);
});
