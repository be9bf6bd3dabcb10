import { createPrivateKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority, type IssuedCertificate } from "@kubewright/certificates";
import { clientAuth, commonName, type NamePart, organization, testCertificate } from "@kubewright/certificates/testing";
import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, expect, it } from "vitest";

const yearMs = 365 * 24 * 3_600_000;

let folder = "";
let server: ApiServer;
const users = new CertificateAuthority("users");
const proxies = new CertificateAuthority("proxies");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  server = await ApiServer.start({
    authentication: {
      clientCaFile: file("users.crt", users.certificate),
      requestheaderClientCaFile: file("proxies.crt", proxies.certificate),
      requestheaderAllowedNames: ["front-proxy"],
      requestheaderUsernameHeaders: ["X-Remote-User"],
      requestheaderGroupHeaders: ["X-Remote-Group"],
    },
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Caller {
  /** Returns status and user of requests on one connection. */
  who(
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; user?: { username: string; groups: string[] } }>;
  connections(): number;
}

function caller({ certificate, key }: IssuedCertificate): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.caData, cert: certificate, key });
  const sockets = new Set<unknown>();
  const who: Caller["who"] = (headers = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Caller["who"]>>>();
    const url = `${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
    const sent = request(url, { agent, method: "POST", headers: { ...headers, "content-type": "application/json" } });
    sent.on("socket", (socket) => sockets.add(socket)).on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        const user = response.statusCode === 201 ? JSON.parse(text).status.userInfo : undefined;
        resolve({ status: response.statusCode ?? 0, ...(user ? { user } : {}) });
      });
    });
    sent.end("{}");
    return promise;
  };
  return { who, connections: () => sockets.size };
}

/** Returns an authority with this name and key and a clock in the past, so that its certificates expire after this many milliseconds. */
function endingIn(ms: number, authority: CertificateAuthority, name: string): CertificateAuthority {
  return new CertificateAuthority(name, authority.export(), {
    nowMs: () => Date.now() - yearMs + ms,
  });
}

/** Returns a certificate that none of our authorities would issue. */
const signedBy = (issuer: IssuedCertificate, name: string, subject: readonly NamePart[]): IssuedCertificate =>
  testCertificate({
    subject,
    issuer: { ...issuer, subject: Buffer.alloc(0), privateKey: createPrivateKey(issuer.key) },
    issuerName: [commonName(name)],
    ca: false,
    keyUsage: [0],
    extendedKeyUsage: [clientAuth],
  });

it("an expired certificate grants no access, however long its connection lasts", async () => {
  const { who, connections } = caller(endingIn(3_500, users, "users").issueClient({ commonName: "jane" }));
  expect(await who()).toMatchObject({ status: 201, user: { username: "jane" } });
  await expect.poll(async () => (await who()).status, { timeout: 10_000, interval: 200 }).toBe(401);
  expect(connections()).toBe(1);
});

it("a front proxy with an expired certificate cannot vouch for anybody, however long its connection lasts", async () => {
  const { who, connections } = caller(endingIn(3_500, proxies, "proxies").issueClient({ commonName: "front-proxy" }));
  const headers = { "X-Remote-User": "jane" };
  expect(await who(headers)).toMatchObject({ status: 201, user: { username: "jane" } });
  await expect.poll(async () => (await who(headers)).status, { timeout: 10_000, interval: 200 }).toBe(401);
  expect(connections()).toBe(1);
});

it("the user is exactly the name in the certificate: nothing in it adds another group or user", async () => {
  const organizations = ["a, O=system:masters", "b\nO=system:masters", "c+O=system:masters", 'd" \\'];
  const commonName = "Doe\\, John\nCN=admin";
  const { user } = await caller(users.issueClient({ commonName, organizations })).who();
  expect(user?.username).toBe(commonName);
  expect(user?.groups).toEqual([...organizations, "system:authenticated"]);
});

it("a user's certificate authenticates no other user, on new and resumed connections", async () => {
  const jane = users.issueClient({ commonName: "jane" });
  const forged = signedBy(jane, "jane", [organization("system:masters"), commonName("admin")]);
  const chain = { ...forged, certificate: forged.certificate + jane.certificate };
  for (let i = 0; i < 3; i++) expect((await caller(chain).who()).status).toBe(401);
  expect((await caller(forged).who()).status).toBe(401);
  expect(
    (await caller({ ...forged, certificate: jane.certificate + forged.certificate, key: jane.key }).who()).user,
  ).toMatchObject({ username: "jane" });
});

it("certificates of servers, of another authority with the same name and of the front proxy's authority authenticate nobody", async () => {
  const namesake = new CertificateAuthority("users");
  const shown = namesake.issueClient({ commonName: "admin" });
  expect((await caller(shown).who()).status).toBe(401);
  expect((await caller({ ...shown, certificate: shown.certificate + namesake.certificate }).who()).status).toBe(401);
  expect((await caller(users.issueServer("admin", ["127.0.0.1"])).who()).status).toBe(401);
  expect((await caller(proxies.issueClient({ commonName: "admin" })).who()).status).toBe(401);
});

it("headers of a front proxy count only for the proxy itself", async () => {
  const headers = { "X-Remote-User": "eve", "X-Remote-Group": "system:masters" };
  expect((await caller(users.issueClient({ commonName: "front-proxy" })).who(headers)).user?.username).toBe(
    "front-proxy",
  );
  for (const name of ["front-proxy,", "front-proxy\n", "Front-Proxy", "x\nCN=front-proxy", ""])
    expect((await caller(signedBy(proxies.export(), "proxies", [commonName(name)])).who(headers)).status).toBe(401);
  expect((await caller(proxies.issueServer("front-proxy", ["127.0.0.1"])).who(headers)).status).toBe(401);
});
