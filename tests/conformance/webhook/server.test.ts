import { connect as connectHttp2 } from "node:http2";
import { createServer } from "node:net";
import { connect as connectTls } from "node:tls";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import {
  admission,
  admissionHandler,
  allowed,
  type CertificateSource,
  denied,
  type KeyPair,
  multiValidatingHandler,
  type Webhook,
  WebhookServer,
} from "@kubewright/webhook";
import { describe, expect, it, vi } from "vitest";
import { alone } from "../manager/running-manager.ts";
import { authority, pair, RunningServer, reviewOf } from "./running-server.ts";
import { Site } from "./shop.ts";

const open = (path: string) => admissionHandler(path, {}, () => allowed());
const body = reviewOf({});

/** A source without a pair until it gets one. */
class LateCertificates implements CertificateSource {
  current: KeyPair | undefined;
  readonly #listeners = new Set<(pair: KeyPair) => void>();

  onChange(listener: (pair: KeyPair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  run(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  check(): void {
    if (!this.current) throw new Error("no certificate has been issued yet");
  }

  issue(name: string): void {
    const { certificate, key } = authority.issueServer(name, ["127.0.0.1"]);
    this.current = { cert: certificate, key };
    for (const listener of this.#listeners) listener(this.current);
  }
}

const servedName = (port: number | undefined) =>
  new Promise<string>((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", ca: authority.certificate }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });

describe("a server of webhooks", () => {
  it("WH-042 throws if a path is registered twice", () => {
    const server = new WebhookServer({ logger: silentLogger });
    server.add(open("/a"));
    expect(() => server.add(open("/a"))).toThrow("can't register duplicate path: /a");
    const [endpoint] = open("/a").endpoints;
    expect(() => endpoint && server.register(endpoint)).toThrow("can't register duplicate path: /a");
  });

  it("WH-043 serves handlers registered before and after the start", async () => {
    await using server = await RunningServer.start([open("/a")]);
    server.server.add(open("/b"));
    for (const path of ["/a", "/b"])
      expect((await server.post(path, { body })).review.response).toMatchObject({ allowed: true });
    expect((await server.post("/c", { body })).status).toBe(404);
  });

  it("WH-044 is ready once it accepts connections, and not before or after", async () => {
    const certificates = new LateCertificates();
    const server = new WebhookServer({ port: 0, host: "127.0.0.1", certificates, logger: silentLogger });
    await expect(server.check()).rejects.toThrow("no certificate has been issued yet");
    const stop = new AbortController();
    const run = server.run(stop.signal);
    await server.ready();
    expect(server.port).toBeUndefined();
    certificates.issue("one");
    await vi.waitFor(() => expect(server.port).toBeTypeOf("number"));
    await server.check();
    certificates.current = undefined;
    await expect(server.check()).rejects.toThrow("no certificate has been issued yet");
    certificates.issue("two");
    stop.abort();
    await run;
    await expect(server.check()).rejects.toThrow("webhook server has not been started yet");
  });

  it("WH-044 does not affect readiness if it is disabled", async () => {
    const manager = new Manager({ ...alone, health: { bindAddress: "127.0.0.1:0" }, webhooks: { disabled: true } });
    manager.webhooks.add(open("/a"));
    const stop = new AbortController();
    const run = manager.run(stop.signal);
    await manager.elected;
    expect((await fetch(`http://127.0.0.1:${manager.healthPort}/readyz`)).status).toBe(200);
    stop.abort();
    await run;
  });

  it("WH-045 applies the user's TLS settings last", async () => {
    const own = authority.issueServer("own", ["127.0.0.1"]);
    const tls = { cert: own.certificate, key: own.key, minVersion: "TLSv1.3" as const, ALPNProtocols: ["http/1.1"] };
    await using server = await RunningServer.start([open("/a")], { tls });
    const { port } = server.server;
    expect(await servedName(port)).toBe("own");
    const old = new Promise((_resolve, reject) =>
      connectTls({ port, host: "127.0.0.1", ca: authority.certificate, maxVersion: "TLSv1.2" }).once("error", reject),
    );
    await expect(old).rejects.toThrow(/protocol version|alert/i);
  });

  it("WH-045 uses the current certificate for new connections", async () => {
    const certificates = new LateCertificates();
    certificates.issue("one");
    await using server = await RunningServer.start([open("/a")], { certificates });
    expect(await servedName(server.server.port)).toBe("one");
    certificates.issue("two");
    expect(await servedName(server.server.port)).toBe("two");
  });

  it("WH-046 supports HTTP/2, runs on every replica, and needs a certificate", async () => {
    await using server = await RunningServer.start([open("/a")]);
    expect(server.server.group).toBe("webhooks");
    const session = connectHttp2(server.url, { ca: authority.certificate });
    const stream = session.request({ ":method": "POST", ":path": "/a", "content-type": "application/json" });
    stream.end(JSON.stringify(body));
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(session.alpnProtocol).toBe("h2");
    expect(JSON.parse(Buffer.concat(chunks).toString()).response.allowed).toBe(true);
    session.destroy();
    const bare = new WebhookServer({ logger: silentLogger });
    await expect(bare.run(new AbortController().signal)).rejects.toThrow("pass `certificates`, or `tls`");
  });

  it("WH-046 listens on 9443 by default, on all addresses", async () => {
    const holder = createServer();
    // A program of the machine or a concurrent test may already use the port. Either way, it is not free afterwards.
    await new Promise((resolve) => holder.once("error", resolve).listen(9443, () => resolve(undefined)));
    const server = new WebhookServer({ certificates: pair, logger: silentLogger });
    const running = server.run(new AbortController().signal);
    await expect(running).rejects.toThrow(/webhook server failed to listen on :9443: .*EADDRINUSE/);
    holder.close();
  });
});

describe("a webhook that rejects", () => {
  const rules = [{ kind: ConfigMap, operations: ["CREATE"] as const }];
  const no = admissionHandler("/failing", { rules, type: "validating" }, () => denied("I always say no"));
  const multi = admissionHandler(
    "/failing",
    { rules, type: "validating" },
    multiValidatingHandler(
      () => allowed(),
      () => denied("I always say no"),
    ),
  );
  const siteNo = admission(ConfigMap).validate({
    create: () => {
      throw new Error("I always say no");
    },
  });

  it.each<[string, Webhook, boolean]>([
    ["alone, without a manager", no, false],
    ["among several, without a manager", multi, false],
    ["by a validator, in a manager", siteNo, true],
  ])("WH-047 fails creates as forbidden: %s", async (_how, webhook, inManager) => {
    await using env = await Environment.start();
    const options = { port: 0, host: "127.0.0.1", certificates: pair };
    const stop = new AbortController();
    const manager = new Manager({ ...alone, connection: env.connection(), webhooks: options });
    const server = inManager ? manager.webhooks : new WebhookServer({ ...options, logger: silentLogger });
    server.add(webhook);
    const run = "run" in server ? server.run(stop.signal) : manager.run(stop.signal);
    await vi.waitFor(() => expect(server.port).toBeTypeOf("number"));
    const client = new Client({ connection: env.connection() });
    for (const object of server.configurations({ url: `https://127.0.0.1:${server.port}` }))
      await client.create({ group: "admissionregistration.k8s.io", version: "v1", kind: object.kind }, object);
    const metadata = { name: "a", namespace: "default" };
    await vi.waitFor(
      () => expect(client.create(ConfigMap, { metadata })).rejects.toMatchObject({ code: 403, reason: "Forbidden" }),
      { timeout: 10_000 },
    );
    await expect(client.create(ConfigMap, { metadata })).rejects.toThrow("denied the request: I always say no");
    stop.abort();
    await run;
    await client.close();
  });
});

it("WH-047 names the webhooks in its messages", () => {
  const server = new WebhookServer({ logger: silentLogger });
  server.add(admission(Site).default(() => {}));
  expect(server.configurations({ url: "https://a" })).toMatchObject([
    { webhooks: [{ name: "default.site.v1.shop.example.com" }] },
  ]);
});
