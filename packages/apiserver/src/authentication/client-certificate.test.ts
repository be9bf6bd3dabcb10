import { X509Certificate } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import type { Server } from "node:https";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { CertificateAuthority, emptyRevocationList } from "@kubewright/certificates";
import { clientAuth, commonName, organization, testCertificate } from "@kubewright/certificates/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { RequestMessage } from "../http/messages.ts";
import type { Authenticator } from "./authenticator.ts";
import { CertificatePool } from "./certificate-pool.ts";
import { clientCertificateAuthenticator } from "./client-certificate.ts";
import { requestHeaderAuthenticator } from "./request-header.ts";

const start = Date.parse("2030-01-01T00:00:00Z");
const hour = 3_600_000;
const span = { notBeforeMs: start - hour, notAfterMs: start + 2 * hour };
const root = testCertificate({ ...span, subject: [commonName("root")], ca: true, keyUsage: [5] });
const between = testCertificate({
  ...span,
  notAfterMs: start + hour,
  subject: [commonName("between")],
  issuer: root,
  ca: true,
  keyUsage: [5],
});
const jane = testCertificate({
  ...span,
  subject: [[...organization("dev, east"), ...commonName("Doe, Jane")], organization("ops")],
  issuer: between,
  extendedKeyUsage: [clientAuth],
});
const pool = new CertificatePool([new X509Certificate(root.certificate)]);

let server: Server;
let authenticator: Authenticator;
let now = start;
let headers: OutgoingHttpHeaders;
const nowMs = (): number => now;
beforeEach(async () => {
  now = start;
  headers = { "x-remote-user": "bob" };
  const tls = new CertificateAuthority("server-ca").issueServer("server", ["127.0.0.1"]);
  server = createServer(
    {
      cert: tls.certificate,
      key: tls.key,
      ca: [root.certificate],
      requestCert: true,
      rejectUnauthorized: false,
      crl: emptyRevocationList(), // like the listener
    },
    (message, response) => {
      const answer = async (): Promise<unknown> => (await authenticator(message as RequestMessage)) ?? "nobody";
      void answer()
        .catch((error: Error) => error.message)
        .then((result) => response.end(JSON.stringify(result)));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends requests on one connection. */
function caller(shown: { readonly certificate: string; readonly key: string }, keepAlive = true) {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  const { port } = server.address() as AddressInfo;
  const connections = new Set<unknown>();
  const options = {
    port,
    host: "127.0.0.1",
    agent,
    rejectUnauthorized: false,
    cert: shown.certificate,
    key: shown.key,
  };
  const ask = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const sent = request({ ...options, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(JSON.parse(text)));
      });
      sent.on("socket", (socket) => connections.add(socket)).on("error", reject);
      sent.end();
    });
  return { ask, connections };
}

const withBetween = { ...jane, certificate: jane.certificate + between.certificate };

it("a certificate counts as long as its chain is valid, however long its connection lasts", async () => {
  authenticator = clientCertificateAuthenticator(pool, { nowMs });
  const { ask, connections } = caller(withBetween);
  const known = { user: { name: "Doe, Jane", groups: ["dev, east", "ops"] } };
  expect(await ask()).toMatchObject(known);
  now = start + hour;
  expect(await ask()).toMatchObject(known);
  now = start + hour + 1_000;
  expect(await ask()).toMatch(/certificate has expired or is not yet valid: .* is after 2030-01-01T01:00:00Z$/);
  now = start;
  expect(await ask()).toMatchObject(known);
  now = start - 2 * hour;
  expect(await ask()).toMatch(/is before 2029-12-31T23:00:00Z$/);
  expect(connections.size).toBe(1);
});

it("a resumed session has the certificates of the original one", async () => {
  const reused: boolean[] = [];
  server.on("secureConnection", (socket) => reused.push(socket.isSessionReused()));
  authenticator = clientCertificateAuthenticator(pool, { nowMs });
  const { ask } = caller(withBetween, false);
  for (let i = 0; i < 3; i++) expect(await ask()).toMatchObject({ user: { name: "Doe, Jane" } });
  expect(reused).toEqual([false, true, true]);
});

it("a chain is verified once per connection while it is valid", async () => {
  let judged = 0;
  const counting = new (class extends CertificatePool {
    override judge(...chain: Parameters<CertificatePool["judge"]>) {
      judged++;
      return super.judge(...chain);
    }
  })([new X509Certificate(root.certificate)]);
  authenticator = clientCertificateAuthenticator(counting, { nowMs });
  const [first, second] = [caller(withBetween), caller(jane)];
  for (let i = 0; i < 5; i++) await first.ask();
  for (let i = 0; i < 5; i++) expect(await second.ask()).toBe("x509: certificate signed by unknown authority");
  expect(judged).toBe(2);
});

it("a certificate without a common name identifies no user", async () => {
  authenticator = clientCertificateAuthenticator(pool, { nowMs });
  const nameless = testCertificate({ ...span, subject: [organization("system:masters")], issuer: root });
  expect(await caller(nameless).ask()).toBe("nobody");
});

it("a certificate contains the user's UID, and is valid for the server's audiences", async () => {
  const plain = caller(withBetween);
  authenticator = clientCertificateAuthenticator(pool, { nowMs });
  const known = (await plain.ask()) as { user: object };
  expect(known).not.toHaveProperty("audiences");
  expect(known.user).not.toHaveProperty("uid");
  authenticator = clientCertificateAuthenticator(pool, { nowMs, audiences: ["api"] });
  const subject = [commonName("jane"), [["1.3.6.1.4.1.57683.2", "u-1"]]] as const;
  const numbered = testCertificate({ ...span, subject, issuer: root });
  const { ask } = caller(numbered);
  const certificate = new X509Certificate(numbered.certificate);
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
  for (let i = 0; i < 2; i++)
    expect(await ask()).toEqual({ user: { name: "jane", uid: "u-1", groups: [], extra }, audiences: ["api"] });
});

it("the user of a certificate is determined once per connection", async () => {
  const named = new Set<unknown>();
  const inner = clientCertificateAuthenticator(pool, { nowMs });
  authenticator = async (message) => {
    const identity = await inner(message);
    named.add(identity);
    return identity;
  };
  const { ask } = caller(withBetween);
  for (let i = 0; i < 3; i++) expect(await ask()).toMatchObject({ user: { name: "Doe, Jane" } });
  expect(named.size).toBe(1);
});

it("a front proxy sends name, UID, groups and extra; without a name there is no user", async () => {
  authenticator = requestHeaderAuthenticator({
    pool,
    allowedNames: [],
    usernameHeaders: ["X-Empty", "X-Remote-User"],
    uidHeaders: ["X-Remote-Uid"],
    groupHeaders: ["X-Remote-Group"],
    extraHeadersPrefix: ["X-Remote-Extra-"],
    audiences: ["api"],
    nowMs,
  });
  const { ask } = caller(withBetween);
  headers = {
    "X-Empty": "",
    "X-Remote-User": "bob",
    "X-Remote-Uid": "u-2",
    "X-Remote-Group": ["dev", "", "ops"],
    "X-Remote-Extra-Scopes": "all",
  };
  const user = { name: "bob", uid: "u-2", groups: ["dev", "ops"], extra: { scopes: ["all"] } };
  expect(await ask()).toEqual({ user, audiences: ["api"] });
  headers = { "X-Remote-Group": "dev" };
  expect(await ask()).toBe("nobody");
  headers = { "X-Remote-User": "bob" };
  expect(await ask()).toEqual({ user: { name: "bob", groups: [] }, audiences: ["api"] });
});

it("a front proxy is trusted as long as its certificate is valid and has an allowed name", async () => {
  const options = {
    pool,
    usernameHeaders: ["X-Remote-User"],
    uidHeaders: [],
    groupHeaders: [],
    extraHeadersPrefix: [],
    audiences: [],
    nowMs,
  };
  const known = { user: { name: "bob", groups: [] } };
  authenticator = requestHeaderAuthenticator({ ...options, allowedNames: ["proxy", "Doe, Jane"] });
  const { ask } = caller(withBetween);
  expect(await ask()).toMatchObject(known);
  now = start + hour + 1_000;
  expect(await ask()).toMatch(/certificate has expired/);
  now = start;
  const other = testCertificate({ ...span, subject: [commonName("proxy,x"), commonName("eve")], issuer: root });
  expect(await caller(other).ask()).toBe("x509: subject with cn=eve is not in the allowed list");
  const forServers = testCertificate({
    ...span,
    subject: [commonName("proxy")],
    issuer: root,
    extendedKeyUsage: ["1.3.6.1.5.5.7.3.1"],
  });
  expect(await caller(forServers).ask()).toBe("x509: certificate specifies an incompatible key usage");
  authenticator = requestHeaderAuthenticator({ ...options, allowedNames: [] });
  expect(await caller(other).ask()).toMatchObject(known);
});
