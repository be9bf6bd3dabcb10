import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { Agent, get, request as httpsRequest } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { CertificateAuthority } from "@kubewright/certificates";
import { untilAborted } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CertificateSource, KeyPair } from "../certificates/certificate-source.ts";
import { conversion } from "../conversion.ts";
import { authority, pair, RunningServer } from "../testing/running-server.ts";
import { WebhookServer } from "./webhook-server.ts";

it("reports the address that it cannot listen on, and why", async () => {
  await using _ = await RunningServer.start([]);
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const server = new WebhookServer({ port, host: "127.0.0.1", certificates: pair });
  await expect(server.run(new AbortController().signal)).rejects.toThrow(
    `webhook server failed to listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; stop the process that uses the port, or set another port with --webhook-port (webhooks.port)`,
  );
  taken.close();
});

it("closes an HTTP/2 connection after 90 idle seconds, and not before", async () => {
  const clock = new FakeClock();
  await using running = await RunningServer.start([], { clock });
  const client = connect(`https://localhost:${running.server.port}`, { ca: authority.certificate });
  const ping = (): Promise<void> =>
    new Promise((resolve, reject) => void client.ping((error) => (error ? reject(error) : resolve())));
  let ended = false;
  client.once("close", () => {
    ended = true;
  });
  await once(client, "connect"); // before, a ping is cancelled at once
  await ping();
  await clock.advance(80_000);
  await ping();
  await clock.advance(80_000);
  await ping();
  expect(ended).toBe(false);
  const closed = once(client, "close");
  await clock.advance(120_000);
  await closed;
});

it("accepts 250 concurrent requests on one HTTP/2 connection", async () => {
  await using running = await RunningServer.start([]);
  const client = connect(`https://localhost:${running.server.port}`, { ca: authority.certificate });
  const [settings] = await once(client, "remoteSettings");
  expect(settings.maxConcurrentStreams).toBe(250);
  client.destroy();
});

it("closes an HTTP/1.1 connection on which requests arrive together", async () => {
  await using running = await RunningServer.start([]);
  const address = { host: "127.0.0.1", port: running.server.port ?? 0, ca: authority.certificate };
  const socket = connectTls({ ...address, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => {}).resume();
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));
  await once(socket, "close");
});

describe("with a client CA", () => {
  const callers = new CertificateAuthority("callers");
  const others = new CertificateAuthority("others");
  const pairOf = (of: CertificateAuthority) => {
    const { certificate: cert, key } = of.issueClient({ commonName: "kube-apiserver" });
    return { cert, key };
  };
  /** Returns the status of an answer, or "refused". */
  const call = (port: number | undefined, client: object) =>
    new Promise<number | string>((resolve) => {
      const address = { host: "127.0.0.1", port, path: "/", agent: false, ca: authority.certificate };
      const sent = get({ ...address, ...client }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on("error", () => resolve("refused"));
    });
  const folder = () => {
    const dir = mkdtempSync(join(tmpdir(), "client-ca-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    return dir;
  };

  it("serves callers with a certificate of that CA, and refuses all others", async () => {
    const file = join(folder(), "client-ca.crt");
    writeFileSync(file, callers.certificate);
    await using running = await RunningServer.start([], { clientCAName: file });
    const { port } = running.server;
    const { certificate: cert, key } = callers.issueServer("kube-apiserver", ["127.0.0.1"]);
    const answers = [pairOf(callers), {}, pairOf(others), { cert, key }].map((client) => call(port, client));
    expect(await Promise.all(answers)).toEqual([404, "refused", "refused", "refused"]);
    await running.server.check();
  });

  it("warns about conversions, for which API servers send no certificate", async () => {
    const file = join(folder(), "client-ca.crt");
    writeFileSync(file, callers.certificate);
    const webhook = conversion({ group: "x.io", kind: "Site", convert: (object) => object });
    const lines: string[] = [];
    const logger = createLogger({ destination: { write: (line) => void lines.push(line) } });
    for (const options of [{}, { clientCAName: file }]) {
      await using _ = await RunningServer.start([webhook], { logger, ...options });
      expect(
        lines.filter((line) => line.includes("do not send a certificate when they request conversions")),
      ).toHaveLength("clientCAName" in options ? 1 : 0);
    }
  });

  it("is ready if only old TLS versions are allowed", async () => {
    const file = join(folder(), "client-ca.crt");
    writeFileSync(file, callers.certificate);
    await using running = await RunningServer.start([], { clientCAName: file, tls: { maxVersion: "TLSv1.2" } });
    expect(await call(running.server.port, {})).toBe("refused");
    await running.server.check();
  });

  it("finds the file in the certificate directory, and reads it again when it changes", async () => {
    const [dir, clock] = [folder(), new FakeClock()];
    const write = (name: string, text: string) => writeFileSync(join(dir, name), text);
    write("tls.crt", pair.cert);
    write("tls.key", pair.key);
    write("clients.pem", others.certificate);
    const options = { certificates: { dir }, clientCAName: "clients.pem", clock };
    await using running = await RunningServer.start([], options);
    const client = pairOf(callers);
    expect(await call(running.server.port, client)).toBe("refused");
    write("clients.pem", "no certificate");
    await clock.advance(10_000);
    expect(await call(running.server.port, pairOf(others))).toBe(404);
    write("clients.pem", callers.certificate);
    await clock.advance(10_000);
    expect([await call(running.server.port, client), await call(running.server.port, pairOf(others))]).toEqual([
      404,
      "refused",
    ]);
  });

  it("follows the client CA even after TLS has refused a new server certificate", async () => {
    const [file, clock] = [join(folder(), "client-ca.crt"), new FakeClock()];
    writeFileSync(file, others.certificate);
    const { cert, key } = pair;
    let use: ((changed: KeyPair) => void) | undefined;
    const certificates: CertificateSource = {
      current: { cert, key },
      onChange: (listener) => {
        use = listener;
        return () => {};
      },
      run: untilAborted,
      check: () => {},
    };
    await using running = await RunningServer.start([], { certificates, clientCAName: file, clock });
    expect(() => use?.({ key, cert: "-----BEGIN CERTIFICATE-----\nMII" })).toThrow("PEM routines");
    writeFileSync(file, callers.certificate);
    await clock.advance(10_000);
    expect(await call(running.server.port, pairOf(callers))).toBe(404);
  });

  it.each([
    ["does not exist", undefined, "cannot be read: Error: ENOENT"],
    ["contains no certificate", "-----BEGIN", "contains no certificate"],
    ["is too large", " ".repeat(1024 * 1024 + 1), "is larger than 1048576 bytes"],
  ])("does not start with a file that %s", async (_what, text, why) => {
    const file = join(folder(), "client-ca.crt");
    if (text !== undefined) writeFileSync(file, text);
    const server = new WebhookServer({ port: 0, host: "127.0.0.1", certificates: pair, clientCAName: file });
    await expect(server.run(new AbortController().signal)).rejects.toThrow(`clientCAName: ${file} ${why}`);
  });
});

it("closes connections once others begin to stop, and answers calls meanwhile", async () => {
  const letGo = Promise.withResolvers<void>();
  const answer = async () => {
    await letGo.promise;
    return { status: 200, body: "{}" };
  };
  const server = new WebhookServer({ port: 0, host: "127.0.0.1", certificates: pair });
  server.add({ endpoints: [{ path: "/a", purpose: "test", answer }], declarations: [], conversions: [] });
  const [stop, stopping] = [new AbortController(), new AbortController()];
  const run = server.run(stop.signal, stopping.signal);
  await server.ready();
  const url = `https://localhost:${server.port}`;
  const ca = authority.certificate;

  const [busy, resting] = [connect(url, { ca }), connect(url, { ca })];
  const ended = Promise.all([busy, resting].map((session) => once(session, "close")));
  await Promise.all([once(busy, "connect"), once(resting, "connect")]);
  const call = busy.request({ ":path": "/a", ":method": "POST" }).end();
  call.resume();
  await expect.poll(() => server.inspect().callsInFlight).toBe(1);
  stopping.abort();
  await once(resting, "close");
  expect(busy.destroyed).toBe(false);
  letGo.resolve();
  const [headers] = await once(call, "response");
  expect(headers[":status"]).toBe(200);
  await ended;

  const late = connect(url, { ca });
  late.request({ ":path": "/a", ":method": "POST" }).end().resume();
  await once(late, "close");
  const old = httpsRequest(url, { ca, path: "/a", method: "POST", agent: new Agent({ keepAlive: true }) }).end();
  const [response] = await once(old, "response");
  expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
  response.resume();
  stop.abort();
  await run;
});
