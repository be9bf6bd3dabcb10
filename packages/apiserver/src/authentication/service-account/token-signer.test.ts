import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keptSigningKey } from "./kept-signing-key.ts";
import { generateSigningKey } from "./signing-keys.ts";
import { ServiceAccountTokenSigner } from "./token-signer.ts";
import { unverifiedPart, VerifiedTokens } from "./verified-tokens.ts";

describe("signed tokens", () => {
  const key = generateSigningKey();
  const signer = new ServiceAccountTokenSigner("https://own", key);

  it("contain subject, issuer, audiences and lifetime", async () => {
    const bound = {
      namespace: "default",
      serviceaccount: { name: "robot", uid: "sa" },
      pod: { name: "web", uid: "p" },
    };
    const times = { nowMs: 1_700_000_000_999, expirationSeconds: 600 };
    const { token, id } = await signer.boundToken(bound, ["kube", "api"], times);
    expect(new VerifiedTokens([key]).claims(token)).toStrictEqual({
      aud: ["kube", "api"],
      exp: 1_700_000_600,
      iat: 1_700_000_000,
      iss: "https://own",
      jti: id,
      "kubernetes.io": bound,
      nbf: 1_700_000_000,
      sub: "system:serviceaccount:default:robot",
    });
    expect(unverifiedPart(token, 0)).toStrictEqual({ alg: "ES256", kid: key.id });
    expect((await signer.boundToken(bound, [], times)).id).not.toBe(id);
  });

  it("for Secrets contain the Secret, and never expire", async () => {
    const token = await signer.legacyToken({ namespace: "default", name: "robot", uid: "sa" }, "robot-token");
    expect(new VerifiedTokens([key]).claims(token)).toStrictEqual({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": "default",
      "kubernetes.io/serviceaccount/secret.name": "robot-token",
      "kubernetes.io/serviceaccount/service-account.name": "robot",
      "kubernetes.io/serviceaccount/service-account.uid": "sa",
      sub: "system:serviceaccount:default:robot",
    });
  });
});

describe("the key of a directory", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "keys-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("is created once, readable only by its owner", () => {
    const folder = join(root, "new", "folder");
    const made = keptSigningKey(folder);
    expect(keptSigningKey(folder).id).toBe(made.id);
    expect(statSync(join(folder, "service-account.key")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, "service-account.key"), "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  });

  it("is different each time without a directory", () => {
    expect(keptSigningKey(undefined).id).not.toBe(keptSigningKey(undefined).id);
  });

  it("is not replaced if it cannot be read", () => {
    const path = join(root, "service-account.key");
    writeFileSync(path, "none");
    expect(() => keptSigningKey(root)).toThrow(
      `${path} contains no readable private key; remove it to create a new one`,
    );
    expect(readFileSync(path, "utf8")).toBe("none");
  });
});
