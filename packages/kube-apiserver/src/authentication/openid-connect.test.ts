import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority } from "@kubewright/certificates";
import { CompactSign, exportJWK } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { tlsCall, whoAmI } from "../server/testing/tls-client.ts";
import type { AuthenticationOptions } from "./authentication-options.ts";

/** An OpenID Connect issuer on loopback. */
class Issuer {
  readonly ca = new CertificateAuthority("issuer-ca");
  #keys = [generateKeyPairSync("rsa", { modulusLength: 2_048 })];
  readonly #server: Server;
  url = "";
  keyRequests = 0;

  constructor() {
    const { certificate, key } = this.ca.issueServer("issuer", ["127.0.0.1"]);
    this.#server = createServer({ cert: certificate, key }, async ({ url }, response) => {
      response.setHeader("content-type", "application/json");
      if (url === "/.well-known/openid-configuration")
        return response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }));
      this.keyRequests++;
      const keys = this.#keys.map(async ({ publicKey }, i) => ({
        ...(await exportJWK(publicKey)),
        kid: `key-${i}`,
        alg: "RS256",
      }));
      return response.end(JSON.stringify({ keys: await Promise.all(keys) }));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    this.url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    return this;
  }

  rotate(): void {
    this.#keys = [...this.#keys, generateKeyPairSync("rsa", { modulusLength: 2_048 })];
  }

  /** @param edit changes the text of the claims, for content that JSON.stringify cannot produce */
  token(
    claims: Record<string, unknown>,
    key: KeyObject | undefined = this.#keys.at(-1)?.privateKey,
    edit = (text: string): string => text,
  ): Promise<string> {
    const all = { iss: this.url, aud: "cluster", sub: "jane", exp: Math.floor(Date.now() / 1_000) + 600, ...claims };
    if (!key) throw new Error("no key");
    return new CompactSign(Buffer.from(edit(JSON.stringify(all))))
      .setProtectedHeader({ alg: "RS256", kid: `key-${this.#keys.length - 1}` })
      .sign(key);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe("OpenID Connect", () => {
  let folder: string;
  let issuer: Issuer;
  let options: AuthenticationOptions;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "openid-"));
    issuer = await new Issuer().start();
    const oidcCaFile = join(folder, "ca.crt");
    writeFileSync(oidcCaFile, issuer.ca.certificate);
    options = { oidcIssuerUrl: issuer.url, oidcClientId: "cluster", oidcCaFile };
  });
  afterAll(() => {
    issuer.stop();
    rmSync(folder, { recursive: true });
  });
  const start = (more: AuthenticationOptions = {}): Promise<ApiServer> =>
    ApiServer.start({ authentication: { ...options, ...more } });

  it("derives users from claims, prefixed with the issuer by default", async () => {
    await using server = await start({ oidcGroupsClaim: "roles", oidcGroupsPrefix: "oidc:" });
    const token = await issuer.token({ roles: ["dev", "ops"] });
    expect(await whoAmI(server, { token })).toEqual({
      username: `${issuer.url}#jane`,
      groups: ["oidc:dev", "oidc:ops", "system:authenticated"],
    });
    await using byEmail = await start({ oidcUsernameClaim: "email", oidcGroupsClaim: "role" });
    expect(await whoAmI(byEmail, { token: await issuer.token({ email: "j@x", role: "dev" }) })).toEqual({
      username: "j@x",
      groups: ["dev", "system:authenticated"],
    });
    const unverified = await issuer.token({ email: "j@x", email_verified: false });
    expect(await whoAmI(byEmail, { token: unverified })).toBeUndefined();
  });

  it("fetches the keys once, and again when a token is signed with a new one", async () => {
    await using server = await start({ oidcUsernamePrefix: "-" });
    const before = issuer.keyRequests;
    for (let i = 0; i < 3; i++)
      expect(await whoAmI(server, { token: await issuer.token({}) })).toMatchObject({ username: "jane" });
    expect(issuer.keyRequests).toBe(before + 1);
    issuer.rotate();
    expect(await whoAmI(server, { token: await issuer.token({}) })).toMatchObject({ username: "jane" });
    expect(issuer.keyRequests).toBe(before + 2);
  });

  it("reports in reviews why a token is rejected", async () => {
    await using server = await start({ oidcRequiredClaim: { hd: "example.com" } });
    const { certData = "", keyData = "" } = server.connection();
    const refusal = async (token: string): Promise<string> => {
      const path = "/apis/authentication.k8s.io/v1/tokenreviews";
      const call = { method: "POST", body: { spec: { token } }, cert: certData, key: keyData };
      return (await tlsCall(server, path, call)).body.status.error;
    };
    expect(await refusal(await issuer.token({ aud: "other" }))).toBe(
      '[invalid bearer token, oidc: verify token: oidc: expected audience "cluster" got ["other"]]',
    );
    expect(await refusal(await issuer.token({ exp: 1 }))).toContain("oidc: verify token: oidc: token is expired");
    for (const [name, value] of [
      ["exp", "1e400"],
      ["exp", "1e300"],
      ["nbf", "-1e400"],
    ] as const) {
      const odd = await issuer.token({ [name]: `<${value}>` }, undefined, (text) => text.replace(/"<|>"/g, ""));
      expect(await refusal(odd)).toContain(`oidc: failed to unmarshal claims: ${name} is not a valid time`);
    }
    const stranger = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
    expect(await refusal(await issuer.token({}, stranger))).toBe(
      "[invalid bearer token, oidc: verify token: failed to verify signature: failed to verify id token signature]",
    );
    expect(await refusal(await issuer.token({}))).toBe(
      "[invalid bearer token, oidc: required claim hd not present in ID token]",
    );
    expect(await refusal(await issuer.token({ hd: "other.com" }))).toContain("value does not match");
  });

  it("can also be configured with a file, for several audiences and with claims for the UID", async () => {
    const authenticationConfig = join(folder, "authentication.yaml");
    const config = {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: {
            url: issuer.url,
            certificateAuthority: issuer.ca.certificate,
            audiences: ["one", "two"],
            audienceMatchPolicy: "MatchAny",
          },
          claimMappings: { username: { claim: "sub", prefix: "x:" }, uid: { claim: "id" } },
        },
      ],
    };
    writeFileSync(authenticationConfig, JSON.stringify(config));
    await using server = await ApiServer.start({ authentication: { authenticationConfig } });
    expect(await whoAmI(server, { token: await issuer.token({ aud: ["two"], id: "7" }) })).toMatchObject({
      username: "x:jane",
      uid: "7",
    });
    expect(await whoAmI(server, { token: await issuer.token({ id: "7" }) })).toBeUndefined();
  });

  it("lets expressions define the user and reject tokens", async () => {
    const authenticationConfig = join(folder, "expressions.yaml");
    const config = (username: string) => ({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: { url: issuer.url, certificateAuthority: issuer.ca.certificate, audiences: ["cluster"] },
          claimValidationRules: [{ expression: "claims.exp - claims.nbf <= 3600", message: "lives too long" }],
          claimMappings: {
            username: { expression: username },
            groups: { expression: "claims.roles.split(',')" },
            extra: [{ key: "example.com/tenant", valueExpression: "claims.tenant" }],
          },
          userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: "reserved" }],
        },
      ],
    });
    writeFileSync(authenticationConfig, JSON.stringify(config("claims.sub + '@' + claims.tenant")));
    await using server = await ApiServer.start({ authentication: { authenticationConfig } });
    const now = Math.floor(Date.now() / 1_000);
    const claims = { nbf: now, exp: now + 600, roles: "dev,ops", tenant: "acme", jti: "1" };
    expect(await whoAmI(server, { token: await issuer.token(claims) })).toEqual({
      username: "jane@acme",
      groups: ["dev", "ops", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=1"], "example.com/tenant": ["acme"] },
    });
    expect(await whoAmI(server, { token: await issuer.token({ ...claims, exp: now + 7_200 }) })).toBeUndefined();
    expect(await whoAmI(server, { token: await issuer.token({ ...claims, sub: "system:x" }) })).toBeUndefined();
    writeFileSync(authenticationConfig, JSON.stringify(config("claim.sub")));
    await expect(ApiServer.start({ authentication: { authenticationConfig } })).rejects.toThrow(
      /^invalid authentication configuration: jwt\[0\].claimMappings.username.expression: Invalid value: "claim.sub": compilation failed: ERROR: <input>:1:1: undeclared reference to 'claim'/,
    );
  });
});
