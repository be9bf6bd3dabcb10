import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isSignedBy, signCompact } from "./compact-signature.ts";
import { openIdMetadata } from "./openid-metadata.ts";
import { generateSigningKey, type SigningKey, signingKeyOfPem, verifyingKeysOfPem } from "./signing-keys.ts";
import { unverifiedPart, VerifiedTokens } from "./verified-tokens.ts";

const pemOf = (key: { readonly privateKey: SigningKey["privateKey"] }) =>
  key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const ec = (namedCurve: string) => signingKeyOfPem(pemOf(generateKeyPairSync("ec", { namedCurve })));
const keys = {
  RS256: signingKeyOfPem(pemOf(generateKeyPairSync("rsa", { modulusLength: 2_048 }))),
  ES256: ec("P-256"),
  ES384: ec("P-384"),
  ES512: ec("P-521"),
};
const sign = (key: SigningKey, header: object = {}) =>
  signCompact({ alg: key.algorithm, kid: key.id, ...header }, { sub: "jane" }, key.privateKey);
const all = Object.values(keys);

describe.each(Object.entries(keys))("a signature by %s", (algorithm, key) => {
  it("is valid only for that key", () => {
    expect(key.algorithm).toBe(algorithm);
    expect(new VerifiedTokens(all).claims(sign(key))).toEqual({ sub: "jane" });
    const others = all.filter((other) => other !== key);
    expect(() => new VerifiedTokens(others).claims(sign(key))).toThrow("error in cryptographic primitive");
  });

  it("is valid without a key ID, but not with another one", () => {
    expect(new VerifiedTokens(all).claims(sign(key, { kid: "unknown" }))).toEqual({ sub: "jane" });
    const other = all.find(({ id }) => id !== key.id);
    expect(() => new VerifiedTokens(all).claims(sign(key, { kid: other?.id }))).toThrow("cryptographic primitive");
  });

  it("is not valid after any change", () => {
    const token = sign(key);
    const [header, , signature] = token.split(".");
    const claims = Buffer.from('{"sub":"root"}').toString("base64url");
    expect(isSignedBy(token, algorithm, key.key)).toBe(true);
    expect(isSignedBy(`${header}.${claims}.${signature}`, algorithm, key.key)).toBe(false);
    expect(isSignedBy(token, "none", key.key)).toBe(false);
    expect(isSignedBy(token, "toString", key.key)).toBe(false);
    expect(isSignedBy(`${token}=`, algorithm, key.key)).toBe(false);
    expect(isSignedBy(`${header}.${claims}.`, algorithm, key.key)).toBe(false);
  });
});

it("verifies a token once", () => {
  const tokens = new VerifiedTokens(all);
  const token = sign(keys.ES256);
  expect(tokens.claims(token)).toBe(tokens.claims(token));
});

it.each<[string, 0 | 1, unknown]>([
  [`${Buffer.from('{"a":1}').toString("base64url")}.${Buffer.from('{"b":2}').toString("base64url")}.c`, 0, { a: 1 }],
  [`${Buffer.from('{"a":1}').toString("base64url")}.${Buffer.from('{"b":2}').toString("base64url")}.c`, 1, { b: 2 }],
  [`${Buffer.from("null").toString("base64url")}.b.c`, 0, undefined],
  [`${Buffer.from("7").toString("base64url")}.b.c`, 0, undefined],
  ["a.b", 0, undefined],
  ["a.b.c.d", 0, undefined],
  ["!.b.c", 0, undefined],
])("of %s part %d is %j", (token, part, expected) => {
  expect(unverifiedPart(token, part)).toEqual(expected);
});

describe("keys in PEM", () => {
  const publicPem = (key: SigningKey) => key.key.export({ type: "spki", format: "pem" }).toString();
  it("include the public halves of private keys", () => {
    const text = `${publicPem(keys.RS256)}\n# remark\n${pemOf(keys.ES256)}`;
    expect(verifyingKeysOfPem(text).map(({ id, algorithm }) => [id, algorithm])).toEqual([
      [keys.RS256.id, "RS256"],
      [keys.ES256.id, "ES256"],
    ]);
  });

  it("of other kinds are skipped", () => {
    const edwards = generateKeyPairSync("ed25519");
    const text = `${publicPem({ key: edwards.publicKey } as never)}-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n`;
    expect(() => verifyingKeysOfPem(text)).toThrow("data does not contain any valid RSA or ECDSA public keys");
    expect(verifyingKeysOfPem(text + publicPem(keys.ES384))).toHaveLength(1);
    expect(() => signingKeyOfPem(publicPem(keys.ES256))).toThrow(
      "data does not contain a valid RSA or ECDSA private key",
    );
  });

  it("are generated on P-256, each different", () => {
    const made = [generateSigningKey(), generateSigningKey()];
    expect(made.map(({ algorithm }) => algorithm)).toEqual(["ES256", "ES256"]);
    expect(made[0]?.id).not.toBe(made[1]?.id);
  });
});

/** @see kubernetes pkg/serviceaccount openidmetadata_test.go */
describe("the metadata for verifying tokens", () => {
  it("is served for an issuer with an https URL", () => {
    const found = openIdMetadata("https://own", "https://own/keys", [keys.RS256, keys.ES256, generateSigningKey()]);
    expect(JSON.parse(found?.configuration ?? "")).toEqual({
      issuer: "https://own",
      jwks_uri: "https://own/keys",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
    const set = JSON.parse(found?.keySet ?? "") as { keys: object[] };
    expect(set.keys.map((one) => Object.keys(one).join())).toEqual([
      "use,kty,kid,alg,n,e",
      "use,kty,kid,crv,alg,x,y",
      "use,kty,kid,crv,alg,x,y",
    ]);
    expect(set.keys[0]).toMatchObject({ use: "sig", kty: "RSA", kid: keys.RS256.id, alg: "RS256" });
  });

  it.each(["http://own", "own", "https://own?a", "https://own#a"])("is not served for %s", (issuer) => {
    expect(openIdMetadata(issuer, "https://own/keys", [keys.ES256])).toBeUndefined();
  });
});
