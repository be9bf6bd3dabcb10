import { describe, expect, it } from "vitest";
import { claimsToUser } from "./claims-to-user.ts";
import type { JwtAuthenticatorConfig } from "./jwt-authenticator-config.ts";

type Mappings = JwtAuthenticatorConfig["claimMappings"];
const byClaim = { claim: "sub", prefix: "oidc:" };
const config = (
  claimMappings: Partial<Mappings> = {},
  more: Partial<JwtAuthenticatorConfig> = {},
): JwtAuthenticatorConfig => ({
  issuer: { url: "https://issuer", audiences: ["kube"] },
  claimValidationRules: [],
  claimMappings: { username: byClaim, ...claimMappings },
  signingAlgs: ["RS256"],
  ...more,
});
const named = (username: Mappings["username"]) => config({ username });
const user = (of: JwtAuthenticatorConfig, claims: object) => claimsToUser(of)({ ...claims });

/** @see apiserver plugin/pkg/authenticator/token/oidc oidc_test.go */
describe("claims define a user", () => {
  it.each<[string, JwtAuthenticatorConfig, object, object]>([
    ["by a claim behind a prefix", config(), { sub: "jane" }, { name: "oidc:jane", groups: [] }],
    ["without a name", config(), { sub: "" }, { name: "oidc:", groups: [] }],
    [
      "by mail that is verified",
      named({ claim: "email", prefix: "" }),
      { email: "j@x", email_verified: true },
      { name: "j@x", groups: [] },
    ],
    [
      "by mail without email_verified",
      named({ claim: "email", prefix: "" }),
      { email: "j@x" },
      { name: "j@x", groups: [] },
    ],
    [
      "by another claim, whatever becomes of the mail",
      config(),
      { sub: "jane", email_verified: false },
      { name: "oidc:jane", groups: [] },
    ],
    [
      "by a null claim",
      named({ expression: "claims.nick == null ? claims.sub : 'x'" }),
      { sub: "jane", nick: null },
      { name: "jane", groups: [] },
    ],
    [
      "of groups that are null",
      config({ groups: { expression: "claims.groups" } }),
      { sub: "jane", groups: null },
      { name: "oidc:jane", groups: [] },
    ],
    ["by an expression", named({ expression: "claims.sub + '!'" }), { sub: "jane" }, { name: "jane!", groups: [] }],
    [
      "of groups",
      config({ groups: { claim: "groups", prefix: "g:" } }),
      { sub: "jane", groups: ["a", "b"] },
      { name: "oidc:jane", groups: ["g:a", "g:b"] },
    ],
    [
      "of one group",
      config({ groups: { claim: "groups", prefix: "" } }),
      { sub: "jane", groups: "a" },
      { name: "oidc:jane", groups: ["a"] },
    ],
    [
      "of no groups",
      config({ groups: { claim: "groups", prefix: "" } }),
      { sub: "jane" },
      { name: "oidc:jane", groups: [] },
    ],
    [
      "of groups by expression",
      config({ groups: { expression: "claims.groups" } }),
      { sub: "jane", groups: ["a", "", "b"] },
      { name: "oidc:jane", groups: ["a", "b"] },
    ],
    [
      "of one group by expression",
      config({ groups: { expression: "claims.sub" } }),
      { sub: "jane" },
      { name: "oidc:jane", groups: ["jane"] },
    ],
    [
      "of no group by expression",
      config({ groups: { expression: "null" } }),
      { sub: "jane" },
      { name: "oidc:jane", groups: [] },
    ],
    [
      "with an id",
      config({ uid: { claim: "uid" } }),
      { sub: "jane", uid: "u" },
      { name: "oidc:jane", uid: "u", groups: [] },
    ],
    [
      "with an empty id",
      config({ uid: { claim: "uid" } }),
      { sub: "jane", uid: "" },
      { name: "oidc:jane", groups: [] },
    ],
    [
      "with an id by expression",
      config({ uid: { expression: "claims.sub" } }),
      { sub: "jane" },
      { name: "oidc:jane", uid: "jane", groups: [] },
    ],
    [
      "with extra",
      config({
        extra: [
          { key: "a.io/a", valueExpression: "claims.a" },
          { key: "a.io/b", valueExpression: "claims.b" },
        ],
      }),
      { sub: "jane", a: ["x", "y"], b: "" },
      { name: "oidc:jane", groups: [], extra: { "a.io/a": ["x", "y"] } },
    ],
    [
      "with the token's own name",
      config(),
      { sub: "jane", jti: "7" },
      { name: "oidc:jane", groups: [], extra: { "authentication.kubernetes.io/credential-id": ["JTI=7"] } },
    ],
    ["with no name of the token's own", config(), { sub: "jane", jti: "" }, { name: "oidc:jane", groups: [] }],
    [
      "that satisfies the rules",
      config(
        {},
        {
          claimValidationRules: [
            { claim: "hd", requiredValue: "x" },
            { expression: "claims.age > 17", message: "grow" },
          ],
          userValidationRules: [{ expression: "user.username == 'oidc:jane' && user.uid == ''", message: "stranger" }],
        },
      ),
      { sub: "jane", hd: "x", age: 18 },
      { name: "oidc:jane", groups: [] },
    ],
  ])("%s", (_what, of, claims, expected) => {
    expect(user(of, claims)).toStrictEqual(expected);
  });
});

describe("claims define no user", () => {
  const claimRule = (claim: string, requiredValue: string) =>
    config({}, { claimValidationRules: [{ claim, requiredValue }] });
  it.each<[string, JwtAuthenticatorConfig, object, string]>([
    ["without the claim", config(), {}, 'oidc: parse username claims "sub": claim not present'],
    [
      "by a claim that they inherit",
      named({ claim: "toString", prefix: "" }),
      {},
      'oidc: parse username claims "toString": claim not present',
    ],
    ["by a number", config(), { sub: 7 }, 'oidc: parse username claims "sub": expected string, got number'],
    ["by true", config(), { sub: true }, 'oidc: parse username claims "sub": expected string, got boolean'],
    ["by a list", config(), { sub: [] }, 'oidc: parse username claims "sub": expected string, got array'],
    [
      "by mail that is not verified",
      named({ claim: "email", prefix: "" }),
      { email: "j@x", email_verified: false },
      "oidc: email not verified",
    ],
    [
      "by mail that is verified in words",
      named({ claim: "email", prefix: "" }),
      { email: "j@x", email_verified: "true" },
      "oidc: email not verified",
    ],
    [
      "by an expression that fails",
      named({ expression: "claims.none" }),
      {},
      "oidc: error evaluating username claim expression: expression 'claims.none' resulted in error: no such key: none",
    ],
    [
      "by an expression of another type",
      named({ expression: "claims.sub" }),
      { sub: 7 },
      "oidc: error evaluating username claim expression: username claim expression must return a string",
    ],
    [
      "by an empty expression",
      named({ expression: "claims.sub" }),
      { sub: "" },
      "oidc: empty username via CEL expression is not allowed",
    ],
    [
      "of groups that are numbers",
      config({ groups: { claim: "groups", prefix: "" } }),
      { sub: "j", groups: ["a", 7] },
      'oidc: parse groups claim "groups": expected string or array of strings, got array',
    ],
    [
      "of groups of another type",
      config({ groups: { claim: "groups", prefix: "" } }),
      { sub: "j", groups: true },
      'oidc: parse groups claim "groups": expected string or array of strings, got boolean',
    ],
    [
      "of groups by expression of another type",
      config({ groups: { expression: "claims.groups" } }),
      { sub: "j", groups: ["a", 7] },
      "oidc: error evaluating group claim expression: expression must return a string or a list of strings",
    ],
    [
      "with an id of another type",
      config({ uid: { claim: "uid" } }),
      { sub: "j", uid: 7 },
      'oidc: parse uid claim "uid": expected string, got number',
    ],
    [
      "with an id by expression of another type",
      config({ uid: { expression: "claims.uid" } }),
      { sub: "j", uid: 7 },
      "oidc: error evaluating uid claim expression: uid claim expression must return a string",
    ],
    [
      "with extra of another type",
      config({ extra: [{ key: "a.io/a", valueExpression: "claims.a" }] }),
      { sub: "j", a: 7 },
      "oidc: error evaluating extra claim expression: claims.a: expression must return a string or a list of strings",
    ],
    ["without a required claim", claimRule("hd", "x"), { sub: "j" }, "oidc: required claim hd not present in ID token"],
    [
      "with a required claim of another type",
      claimRule("hd", "x"),
      { sub: "j", hd: 7 },
      "oidc: parse claim hd: expected string, got number",
    ],
    [
      "with another value",
      claimRule("hd", "x"),
      { sub: "j", hd: "y" },
      "oidc: required claim hd value does not match. Got = y, want = x",
    ],
    [
      "against a rule",
      config({}, { claimValidationRules: [{ expression: "claims.age > 17", message: "grow" }] }),
      { sub: "j", age: 17 },
      "oidc: error evaluating claim validation expression: validation expression 'claims.age > 17' failed: grow",
    ],
    [
      "that a rule cannot be asked of",
      config({}, { claimValidationRules: [{ expression: "claims.age > 17", message: "grow" }] }),
      { sub: "j" },
      "oidc: error evaluating claim validation expression: expression 'claims.age > 17' resulted in error: no such key: age",
    ],
    [
      "against a rule for users",
      config({}, { userValidationRules: [{ expression: "!user.username.startsWith('oidc:s')", message: "no s" }] }),
      { sub: "system" },
      "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('oidc:s')' failed: no s",
    ],
  ])("%s", (_what, of, claims, message) => {
    expect(() => user(of, claims)).toThrow(new Error(message));
  });
});
