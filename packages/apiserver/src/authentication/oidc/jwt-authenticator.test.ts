import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { compileClaimMapping, compileClaimRule, compileUserRule } from "./claim-expressions.ts";
import { JwtAuthenticator } from "./jwt-authenticator.ts";
import { signingAlgorithms } from "./jwt-authenticator-config.ts";

const now = 1_700_000_000;
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const usual = { iss: "https://issuer.invalid", aud: "kube", exp: now + 60, sub: "jane" };
const ask = async (claims: object, header: object = { alg: "RS256" }, audiences: readonly string[] = ["kube"]) => {
  const issuer = {
    url: String({ ...usual, ...claims }.iss).startsWith("accounts") ? "https://accounts.google.com" : usual.iss,
    audiences,
  };
  const config = {
    issuer,
    claimValidationRules: [],
    claimMappings: { username: { claim: "sub", prefix: "" } },
    signingAlgs: ["RS256", "ES256"],
  };
  const authenticator = new JwtAuthenticator(config, new FakeClock(now * 1_000));
  try {
    return await authenticator.authenticate(`${encoded(header)}.${encoded({ ...usual, ...claims })}.c2ln`, []);
  } finally {
    await authenticator[Symbol.asyncDispose]();
  }
};

/** @see apiserver plugin/pkg/authenticator/token/oidc oidc_test.go */
describe("a token is rejected before its issuer is asked for keys", () => {
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
  it.each<[string, object, object, readonly string[], string]>([
    ["for another audience", { aud: "other" }, {}, ["kube"], 'oidc: expected audience "kube" got ["other"]'],
    ["without an audience", { aud: undefined }, {}, ["kube"], 'oidc: expected audience "kube" got []'],
    [
      "for none of several audiences",
      { aud: ["x", "y"] },
      {},
      ["kube", "api"],
      'oidc: expected audience in ["api" "kube"] got ["x" "y"]',
    ],
    ["after its end", { exp: now - 1 }, {}, ["kube"], `oidc: token is expired (Token Expiry: ${at(now - 1)})`],
    ["without an end", { exp: undefined }, {}, ["kube"], `oidc: token is expired (Token Expiry: ${at(0)})`],
    [
      "long before its time",
      { nbf: now + 301 },
      {},
      ["kube"],
      `oidc: current time ${at(now)} before the nbf (not before) time: ${at(now + 301)}`,
    ],
    [
      "signed otherwise",
      {},
      { alg: "HS256" },
      ["kube"],
      'oidc: malformed jwt: unexpected signature algorithm "HS256"; expected ["RS256" "ES256"]',
    ],
  ])("%s", async (_what, claims, header, audiences, message) => {
    await expect(ask(claims, { alg: "RS256", ...header }, audiences)).rejects.toThrow(
      new Error(`oidc: verify token: ${message}`),
    );
  });

  it("ignores a token of another issuer", async () => {
    expect(await ask({ iss: "https://other" })).toBeUndefined();
    expect(await ask({ iss: undefined })).toBeUndefined();
  });

  it("accepts Google's former issuer name too", async () => {
    await expect(ask({ iss: "accounts.google.com", aud: "other" })).rejects.toThrow("expected audience");
  });
});

it("requires expressions about claims or users, and boolean rules", () => {
  expect(() => compileClaimRule("claims.a == 'b'")).not.toThrow();
  expect(() => compileUserRule("user.username == 'a' && user.extra['a'] == ['b']")).not.toThrow();
  expect(() => compileClaimMapping("user.username")).toThrow(/^compilation failed: ERROR/);
  expect(() => compileUserRule("claims.a == 'b'")).toThrow(/^compilation failed: ERROR/);
  expect(() => compileUserRule("user.name == 'b'")).toThrow(/^compilation failed: ERROR/);
  expect(() => compileClaimRule("claims.a")).toThrow("must evaluate to bool");
});

it("supports every signing algorithm", () => {
  expect([...signingAlgorithms]).toEqual(
    ["ES", "PS", "RS"].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`)),
  );
});
