import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@kubewright/clock/testing";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import type { ApiServerOptions } from "../server/api-server-options.ts";
import { ApiClient, type ReceivedResponse } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const clock = new FakeClock(Date.parse("2030-01-01T00:00:00Z"));
let server: ApiServer;
let admin: ApiClient;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tokens-"));
});
afterEach(async () => {
  admin.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function start(options: ApiServerOptions = {}): Promise<void> {
  server = await ApiServer.start({ tls: false, clock, disableAdmissionPlugins: ["ServiceAccount"], ...options });
  admin = new ApiClient(server);
  await admin.post(`${core}/serviceaccounts`, { metadata: { name: "holder" } });
}
const request = (spec: object = {}): Promise<ReceivedResponse> =>
  admin.post(`${core}/serviceaccounts/holder/token`, { spec });
const tokenOf = async (spec?: object): Promise<string> => (await request(spec)).body.status.token;
const as = (token: string): Promise<ReceivedResponse> =>
  admin.post(whoAmI, {}, { headers: { authorization: `Bearer ${token}` } });
const bound = (kind: string, name: string) => ({ boundObjectRef: { apiVersion: "v1", kind, name } });

describe("tokens on request", () => {
  it("authenticate as the account until they expire", async () => {
    await start();
    const { body } = await request();
    expect(body).toMatchObject({
      kind: "TokenRequest",
      spec: { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 3_600, boundObjectRef: null },
      status: { expirationTimestamp: "2030-01-01T01:00:00Z" },
    });
    const { token } = body.status;
    const { jti } = decodeJwt(token);
    expect((await as(token)).body.status.userInfo).toEqual({
      username: "system:serviceaccount:default:holder",
      uid: body.metadata.uid,
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] },
    });
    await clock.advance(3_600_000 + 61_000);
    expect((await as(token)).status).toBe(401);
  });

  it("are valid for their audiences", async () => {
    await start();
    const token = await tokenOf({ audiences: ["vault"] });
    expect((await as(token)).status).toBe(401);
    const review = await admin.post("/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token, audiences: ["vault", "other"] },
    });
    expect(review.body.status).toMatchObject({ authenticated: true, audiences: ["vault"] });
  });

  it("become invalid with the account, even if another of that name follows", async () => {
    await start();
    const token = await tokenOf();
    await admin.delete(`${core}/serviceaccounts/holder`);
    expect((await as(token)).status).toBe(401);
    await admin.post(`${core}/serviceaccounts`, { metadata: { name: "holder" } });
    expect((await as(token)).status).toBe(401);
  });

  it("become invalid with their bound Secret", async () => {
    await start();
    await admin.post(`${core}/secrets`, { metadata: { name: "s" } });
    const token = await tokenOf(bound("Secret", "s"));
    expect((await as(token)).status).toBe(201);
    await admin.delete(`${core}/secrets/s`);
    expect((await as(token)).status).toBe(401);
  });

  it("contain the pod and its node, and live a year if a kubelet requests them", async () => {
    await start();
    const { body: node } = await admin.post("/api/v1/nodes", { metadata: { name: "n" } });
    const { body: pod } = await admin.post(`${core}/pods`, {
      metadata: { name: "p" },
      spec: { nodeName: "n", serviceAccountName: "holder", containers: [{ name: "c", image: "i" }] },
    });
    const token = await tokenOf({ expirationSeconds: 3_607, ...bound("Pod", "p") });
    expect((await as(token)).body.status.userInfo.extra).toMatchObject({
      "authentication.kubernetes.io/pod-name": ["p"],
      "authentication.kubernetes.io/pod-uid": [pod.metadata.uid],
      "authentication.kubernetes.io/node-name": ["n"],
      "authentication.kubernetes.io/node-uid": [node.metadata.uid],
    });
    const { exp = 0, iat = 0, "kubernetes.io": claims } = decodeJwt(token);
    expect(exp - iat).toBe(365 * 24 * 3_600);
    expect(claims).toMatchObject({ warnafter: iat + 3_607, pod: { name: "p" }, node: { name: "n" } });
  });

  it("have no maximum lifetime of 0", async () => {
    await expect(start({ authentication: { serviceAccountMaxTokenExpirationMs: 0 } })).rejects.toThrow(
      new RangeError("serviceAccountMaxTokenExpirationMs must be positive, got 0; use Infinity for no limit"),
    );
  });

  it("live at most as long as the server permits, with a warning for the client", async () => {
    await start({ authentication: { serviceAccountMaxTokenExpirationMs: 3_600_000 } });
    const { body, headers } = await request({ expirationSeconds: 7_200 });
    expect(headers.warning).toContain("requested expiration of 7200 seconds shortened to 3600 seconds");
    expect(body.spec.expirationSeconds).toBe(3_600);
  });
});

describe("keys and issuers", () => {
  it("come from files: the first issuer signs, all keys and issuers are accepted", async () => {
    const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const old = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const file = (name: string, key: typeof pair.publicKey, type: "pkcs1" | "spki" | "pkcs8"): string => {
      const path = join(folder, name);
      writeFileSync(path, key.export({ type, format: "pem" } as never));
      return path;
    };
    const authentication = {
      serviceAccountIssuer: ["https://new.example.com", "https://old.example.com"],
      serviceAccountSigningKeyFile: file("sa.key", pair.privateKey, "pkcs1"),
      serviceAccountKeyFiles: [file("sa.pub", pair.publicKey, "spki"), file("old.pub", old.publicKey, "spki")],
    };
    await start({ authentication });
    const token = await tokenOf();
    expect(decodeJwt(token)).toMatchObject({
      iss: "https://new.example.com",
      aud: authentication.serviceAccountIssuer,
    });
    expect(decodeProtectedHeader(token).alg).toBe("RS256");
    expect((await as(token)).status).toBe(201);
    const { body: keys } = await admin.get("/openid/v1/jwks");
    expect(keys.keys.map(({ alg, kid }: { alg: string; kid: string }) => [alg, kid.length])).toEqual([
      ["RS256", 43],
      ["ES256", 43],
    ]);
    const { body: configuration } = await admin.get("/.well-known/openid-configuration");
    expect(configuration).toMatchObject({
      issuer: "https://new.example.com",
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
  });

  it("are kept in the server's identity directory, so tokens outlive the process", async () => {
    const storage = { type: "journal", directory: join(folder, "data") } as const;
    await start({ identityDirectory: folder, storage });
    const token = await tokenOf();
    admin.close();
    await server.stop();
    await start({ identityDirectory: folder, storage });
    expect((await as(token)).status).toBe(201);
  });
});

describe("tokens in Secrets", () => {
  it("are valid as long as the Secret contains them", async () => {
    await start();
    const { body: account } = await admin.get(`${core}/serviceaccounts/holder`);
    const { uid } = account.metadata;
    const token = await server.serviceAccountTokens.legacyToken({ namespace: "default", name: "holder", uid }, "s");
    expect((await as(token)).status).toBe(401);
    await admin.post(`${core}/secrets`, {
      metadata: {
        name: "s",
        annotations: { "kubernetes.io/service-account.name": "holder", "kubernetes.io/service-account.uid": uid },
      },
      type: "kubernetes.io/service-account-token",
      stringData: { token },
    });
    expect((await as(token)).body.status.userInfo).toEqual({
      username: "system:serviceaccount:default:holder",
      uid,
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    const { body: used } = await admin.get(`${core}/secrets/s`);
    expect(used.metadata.labels["kubernetes.io/legacy-token-last-used"]).toBe(
      new Date(clock.now()).toISOString().slice(0, 10),
    );
    await admin.patch(`${core}/secrets/s`, "merge", {
      metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2030-01-01" } },
    });
    expect((await as(token)).status).toBe(401);
  });
});
