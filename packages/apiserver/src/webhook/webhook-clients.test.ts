import { generateKeyPairSync } from "node:crypto";
import { createServer as createPlainServer, type RequestListener } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createListener } from "node:net";
import {
  CertificateAuthority,
  createCertificationRequest,
  parseCertificationRequest,
  signCertificationRequest,
} from "@kubewright/certificates";
import { systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestWebhookServer } from "../testing/webhook-server.ts";
import type { ResolveService } from "./client-config.ts";
import { WebhookClients } from "./webhook-clients.ts";

const nowhere: ResolveService = async (_namespace, name) => {
  throw new Error(`service "${name}" not found`);
};
const call = { body: "{}", timeoutMs: 5_000, userAgent: "test" };

let clients: WebhookClients;
beforeEach(() => {
  clients = new WebhookClients({ clock: systemClock, resolveService: nowhere });
});
afterEach(() => clients[Symbol.dispose]());

describe("a webhook is called", () => {
  it("with its timeout in the query, as JSON, and its answer is decoded", async () => {
    await using server = await TestWebhookServer.start({ "/a": () => ({ body: { kind: "X" } }) });
    expect(await clients.call(server.clientConfig("/a"), call)).toEqual({ kind: "X" });
    expect(server.calls[0]).toMatchObject({
      query: "timeout=5s",
      headers: { "user-agent": "test", "content-type": "application/json", accept: "application/json, */*" },
    });
  });

  it("at the address of its service, with the service's name", async () => {
    await using server = await TestWebhookServer.start({ "/a": () => ({ body: {} }) }, ["hook.default.svc"]);
    clients = new WebhookClients({
      clock: systemClock,
      resolveService: async () => ({ host: "127.0.0.1", port: server.port }),
    });
    const service = { namespace: "default", name: "hook", path: "/a" };
    expect(await clients.call({ service, caBundle: server.caBundle }, call)).toEqual({});
  });
});

it("opens at most 100 connections to a webhook, and makes further calls on them", async () => {
  let [opened, served] = [0, 0];
  const server = createPlainServer((_, response) => {
    served++;
    setImmediate(() => response.end("{}"));
  }).on("connection", () => opened++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await Promise.all(Array.from({ length: 300 }, () => clients.call({ url: `http://127.0.0.1:${port}/a` }, call)));
    expect([opened, served]).toEqual([100, 300]);
  } finally {
    clients.close();
    server.close();
  }
});

it("calls a webhook over HTTP/1.1, even if the webhook prefers HTTP/2", async () => {
  const authority = new CertificateAuthority("webhook-ca");
  const { certificate, key } = authority.issueServer("webhook", ["127.0.0.1"]);
  const versions: string[] = [];
  const server = createSecureServer({ cert: certificate, key, allowHTTP1: true }, ({ httpVersion }, response) => {
    versions.push(httpVersion);
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const caBundle = Buffer.from(authority.certificate).toString("base64");
    await clients.call({ url: `https://127.0.0.1:${port}/a`, caBundle }, call);
    expect(versions).toEqual(["1.1"]);
  } finally {
    clients.close();
    server.close();
  }
});

it("accepts four times as many values as the review has", async () => {
  const list = (length: number): string => `{"a":[${Array.from({ length }, () => "1").join(",")}]}`;
  let response = "";
  await using server = await TestWebhookServer.start({ "/a": () => ({ body: response }) });
  const asked = (body: string) => clients.call(server.clientConfig("/a"), { ...call, body });
  response = list(120_000);
  await expect(asked("{}")).rejects.toThrow("the response contains more than 100000 values");
  await expect(asked(list(29_000))).rejects.toThrow("the response contains more than 116004 values");
  await expect(asked(list(30_000))).resolves.toHaveProperty("a.length", 120_000);
});

it("sends credentials only to the webhook's own origin, also after redirects", async () => {
  const authority = new CertificateAuthority("webhook-ca");
  const { certificate, key } = authority.issueServer("webhook", ["127.0.0.1", "localhost"]);
  const seen: (readonly [url: string, authorization: string | undefined])[] = [];
  let port = 0;
  const answer: RequestListener = ({ url = "", headers }, response) => {
    seen.push([url.split("?")[0] ?? "", headers.authorization]);
    const next = new Map([
      ["/a", "/same"],
      ["/same", `https://localhost:${port}/host`],
      ["/host", `http://127.0.0.1:${port}/plain`],
    ]).get(url.split("?")[0] ?? "");
    response.writeHead(next ? 307 : 200, next ? { location: next } : {}).end("{}");
  };
  const [tls, plain] = [createServer({ cert: certificate, key }, answer), createPlainServer(answer)];
  const listener = createListener((socket) =>
    socket.once("data", (first) => {
      socket.pause();
      socket.unshift(first);
      (first[0] === 0x16 ? tls : plain).emit("connection", socket);
      process.nextTick(() => socket.resume());
    }),
  );
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  port = (listener.address() as AddressInfo).port;
  const config = {
    url: `https://127.0.0.1:${port}/a`,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
  };
  await clients.call(config, { ...call, userOf: () => ({ token: "t" }) });
  expect(seen).toEqual([
    ["/a", "Bearer t"],
    ["/same", "Bearer t"],
    ["/host", undefined],
    ["/plain", undefined],
  ]);
  clients.close();
  await new Promise((resolve) => listener.close(resolve));
});

it("survives a webhook whose key is on a curve that crashes Node", async () => {
  const authority = new CertificateAuthority("webhook-ca");
  const key = generateKeyPairSync("ec", { namedCurve: "brainpoolP256r1" }).privateKey;
  const request = createCertificationRequest({ commonName: "webhook", ipAddresses: ["127.0.0.1"] }, key);
  const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
  const signing = { usages: ["server auth"], ...times };
  const cert = signCertificationRequest(authority.export(), parseCertificationRequest(request), signing);
  const pem = key.export({ type: "pkcs8", format: "pem" });
  const server = createServer({ cert, key: pem }, (_request, response) => void response.end('{"kind":"X"}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
  const caBundle = Buffer.from(authority.certificate).toString("base64");
  expect(await clients.call({ url, caBundle }, call)).toEqual({ kind: "X" });
  clients.close();
  await new Promise((resolve) => server.close(resolve));
});

describe("reports errors with Go's messages:", () => {
  const failing = async (
    answer: Parameters<typeof TestWebhookServer.start>[0][string],
    config: { readonly url?: string; readonly caBundle?: string } = {},
  ): Promise<string> => {
    await using server = await TestWebhookServer.start({ "/a": answer });
    const outcome = await clients.call({ ...server.clientConfig("/a"), ...config }, call).then(
      () => "",
      (error: Error) => error.message,
    );
    return outcome.replaceAll(String(server.port), "PORT");
  };
  const post = 'Post "https://127.0.0.1:PORT/a?timeout=5s": ';

  it.each([
    ["a closed connection", () => undefined, `${post}other side closed`],
    [
      "an error of the server",
      () => ({ code: 500, contentType: "text/plain", body: "boom" }),
      'an error on the server ("boom") has prevented the request from succeeding',
    ],
    ["a Status", () => ({ code: 500, body: { kind: "Status", message: "why" } }), "why"],
    ["an unknown path", () => ({ code: 404, body: "" }), "the server could not find the requested resource"],
    ["no text", () => ({ body: "" }), "0-length response with status code: 200 and content type: application/json"],
  ])("%s", async (_title, answer, message) => {
    expect(await failing(answer)).toBe(message);
  });

  it("an untrusted certificate", async () => {
    const other = await TestWebhookServer.start({});
    const { caBundle } = other;
    await other[Symbol.asyncDispose]();
    expect(await failing(() => ({ body: {} }), { caBundle })).toBe(
      `${post}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
  });

  it("a port without a listener", async () => {
    expect(await failing(() => ({ body: {} }), { url: "https://127.0.0.1:1/a" })).toBe(
      'Post "https://127.0.0.1:1/a?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });

  it("a missing service", async () => {
    const service = { namespace: "default", name: "none", path: "/a" };
    await expect(clients.call({ service }, call)).rejects.toThrow(
      'Post "https://none.default.svc:443/a?timeout=5s": service "none" not found',
    );
  });

  it("an answer after the timeout", async () => {
    const clock = new FakeClock();
    clients = new WebhookClients({ clock, resolveService: nowhere });
    const asked = Promise.withResolvers<void>();
    await using server = await TestWebhookServer.start({
      "/a": () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const rejected = expect(clients.call(server.clientConfig("/a"), call)).rejects.toThrow(
      `Post "https://127.0.0.1:${server.port}/a?timeout=5s": context deadline exceeded`,
    );
    await asked.promise;
    await clock.advance(5_000);
    await rejected;
  });
});
