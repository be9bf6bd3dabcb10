import { generateKeyPairSync } from "node:crypto";
import { aggregateFieldErrors, fieldPath } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { issuerErrors, urlErrors } from "./issuer-validation.ts";

const issuer = { url: "https://issuer", audiences: ["kube"] };
const username = { claim: "sub", prefix: "" };
const authenticator = (more: object = {}) => ({ issuer, claimMappings: { username }, ...more });
const mappings = (more: object) => authenticator({ claimMappings: { username, ...more } });
const rules = (...claimValidationRules: object[]) => authenticator({ claimValidationRules });
const users = (...userValidationRules: object[]) => authenticator({ userValidationRules });
const extra = (key: string, valueExpression = "claims.sub") => mappings({ extra: [{ key, valueExpression }] });
const of = (more: object) => authenticator({ issuer: { ...issuer, ...more } });
const errorsOf = (one: object, before: readonly object[] = []) =>
  issuerErrors(
    { ...one },
    before.map((each) => ({ ...each })),
    ["https://own"],
    before.length,
  ).map((error) => aggregateFieldErrors([error]));

/** @see apiserver pkg/apis/apiserver/validation validation_test.go */
describe("an issuer is refused", () => {
  const at = "jwt[0].issuer";
  const maps = "jwt[0].claimMappings";
  const both = "claim and expression can't both be set";
  const email =
    "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";
  const byExpression = (expression: string, more: object = {}) =>
    authenticator({ claimMappings: { username: { expression } }, ...more });
  const unverified = (expression: string) =>
    `${maps}.username.expression: Invalid value: ${JSON.stringify(expression)}: ${email}`;
  it.each<[string, object, readonly string[]]>([
    ["without a URL", of({ url: "" }), [`${at}.url: Required value`]],
    [
      "in plain text",
      of({ url: "http://issuer" }),
      [`${at}.url: Invalid value: "http://issuer": URL scheme must be https`],
    ],
    [
      "with a user",
      of({ url: "https://me@issuer" }),
      [`${at}.url: Invalid value: "https://me@issuer": URL must not contain a username or password`],
    ],
    [
      "with a password",
      of({ url: "https://:pw@issuer" }),
      [`${at}.url: Invalid value: "https://:pw@issuer": URL must not contain a username or password`],
    ],
    [
      "with a query",
      of({ url: "https://issuer?a" }),
      [`${at}.url: Invalid value: "https://issuer?a": URL must not contain a query`],
    ],
    [
      "with a fragment",
      of({ url: "https://issuer#a" }),
      [`${at}.url: Invalid value: "https://issuer#a": URL must not contain a fragment`],
    ],
    [
      "that is the server's own",
      of({ url: "https://own" }),
      [`${at}.url: Invalid value: "https://own": URL must not overlap with disallowed issuers: [https://own]`],
    ],
    [
      "discovered at its own URL",
      of({ discoveryURL: "https://issuer//" }),
      [`${at}.discoveryURL: Invalid value: "https://issuer//": discoveryURL must be different from URL`],
    ],
    [
      "discovered in plain text",
      of({ discoveryURL: "http://x" }),
      [`${at}.discoveryURL: Invalid value: "http://x": URL scheme must be https`],
    ],
    [
      "without audiences",
      of({ audiences: [] }),
      [`${at}.audiences: Required value: at least one ${at}.audiences is required`],
    ],
    ["with an empty audience", of({ audiences: [""] }), [`${at}.audiences[0]: Required value`]],
    [
      "for the same twice",
      of({ audiences: ["a", "a"], audienceMatchPolicy: "MatchAny" }),
      [`${at}.audiences[1]: Duplicate value: "a"`],
    ],
    [
      "for several without saying how",
      of({ audiences: ["a", "b"] }),
      [`${at}.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences`],
    ],
    [
      "for one in another way",
      of({ audienceMatchPolicy: "MatchAll" }),
      [
        `${at}.audienceMatchPolicy: Invalid value: "MatchAll": audienceMatchPolicy must be empty or MatchAny for single audience`,
      ],
    ],
    [
      "reached by another way out",
      of({ egressSelectorType: "etcd" }),
      [`${at}.egressSelectorType: Invalid value: "etcd": egress selector must be either controlplane or cluster`],
    ],
    [
      "with an extra key in capitals without a domain",
      extra("Foo"),
      [
        `${maps}.extra[0].key: Invalid value: "Foo": must be a domain-prefixed path (such as "acme.io/foo")`,
        `${maps}.extra[0].key: Invalid value: "Foo": must be lowercase`,
      ],
    ],
    [
      "with a rule of both kinds",
      rules({ claim: "a", expression: "true" }),
      [`jwt[0].claimValidationRules[0]: Invalid value: "a": ${both}`],
    ],
    [
      "with a rule of no kind",
      rules({ message: "no" }),
      ["jwt[0].claimValidationRules[0]: Required value: claim or expression is required"],
    ],
    [
      "with a message for a claim",
      rules({ claim: "a", message: "no" }),
      ['jwt[0].claimValidationRules[0].message: Invalid value: "no": may not be specified when claim is set'],
    ],
    [
      "with a claim twice",
      rules({ claim: "a" }, { claim: "b" }, { claim: "a" }),
      ['jwt[0].claimValidationRules[2].claim: Duplicate value: "a"'],
    ],
    [
      "with a value for an expression",
      rules({ expression: "true", requiredValue: "b" }),
      ['jwt[0].claimValidationRules[0].requiredValue: Invalid value: "b": may not be specified when expression is set'],
    ],
    [
      "with a rule twice",
      rules({ expression: "true" }, { expression: "true" }),
      ['jwt[0].claimValidationRules[1].expression: Duplicate value: "true"'],
    ],
    [
      "with a rule of another type",
      rules({ expression: "1" }),
      ['jwt[0].claimValidationRules[0].expression: Invalid value: "1": must evaluate to bool'],
    ],
    [
      "with a rule for users without expression",
      users({ message: "no" }),
      ["jwt[0].userValidationRules[0].expression: Required value"],
    ],
    [
      "with a rule for users twice",
      users({ expression: "true" }, { expression: "true" }),
      ['jwt[0].userValidationRules[1].expression: Duplicate value: "true"'],
    ],
    [
      "with a rule for users of another type",
      users({ expression: "user.username" }),
      ['jwt[0].userValidationRules[0].expression: Invalid value: "user.username": must evaluate to bool'],
    ],
    [
      "without a name for users",
      authenticator({ claimMappings: {} }),
      [`${maps}.username: Required value: claim or expression is required`],
    ],
    [
      "with two names for users",
      mappings({ username: { claim: "a", expression: "'b'" } }),
      [`${maps}.username: Invalid value: "": ${both}`],
    ],
    [
      "with a prefix for an expression",
      mappings({ username: { expression: "'b'", prefix: "" } }),
      [`${maps}.username.prefix: Invalid value: "": may not be specified when expression is set`],
    ],
    [
      "without a prefix for a claim",
      mappings({ groups: { claim: "groups" } }),
      [
        `${maps}.groups.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      ],
    ],
    ["with two ids", mappings({ uid: { claim: "a", expression: "'b'" } }), [`${maps}.uid: Invalid value: "": ${both}`]],
    ["with extra under no key", extra(""), [`${maps}.extra[0].key: Required value`]],
    [
      "with an extra key without a domain",
      extra("foo"),
      [`${maps}.extra[0].key: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")`],
    ],
    [
      "with an extra key with an empty domain",
      extra("/foo"),
      [`${maps}.extra[0].key: Invalid value: "/foo": must be a domain-prefixed path (such as "acme.io/foo")`],
    ],
    [
      "with an extra key with an empty path",
      extra("acme.io/"),
      [`${maps}.extra[0].key: Invalid value: "acme.io/": must be a domain-prefixed path (such as "acme.io/foo")`],
    ],
    [
      "with extra in capitals",
      extra("acme.io/Foo"),
      [`${maps}.extra[0].key: Invalid value: "acme.io/Foo": must be lowercase`],
    ],
    [
      "with extra at an invalid path",
      extra("acme.io/a b"),
      [
        `${maps}.extra[0].key: Invalid value: "a b": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
      ],
    ],
    ...["k8s.io", "a.k8s.io", "kubernetes.io", "a.kubernetes.io"].map((domain): [string, object, string[]] => [
      `with extra of ${domain}`,
      extra(`${domain}/foo`),
      [
        `${maps}.extra[0].key: Invalid value: "${domain}/foo": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use`,
      ],
    ]),
    [
      "with extra twice",
      mappings({
        extra: [
          { key: "a.io/a", valueExpression: "'a'" },
          { key: "a.io/a", valueExpression: "" },
        ],
      }),
      [`${maps}.extra[1].key: Duplicate value: "a.io/a"`],
    ],
    ["with extra of no value", extra("a.io/a", ""), [`${maps}.extra[0].valueExpression: Required value`]],
    ["naming users by unverified mail", byExpression("claims.email"), [unverified("claims.email")]],
    ["naming users by mail in part", byExpression("'oidc:' + claims.email"), [unverified("'oidc:' + claims.email")]],
    [
      "naming users by mail that may lack",
      byExpression("claims.?email.orValue('')"),
      [unverified("claims.?email.orValue('')")],
    ],
  ])("%s", (_what, one, messages) => {
    expect(errorsOf(one)).toEqual(messages);
  });

  it.each<[string, object]>([
    ["by a claim", authenticator()],
    ["reached from the control plane", of({ egressSelectorType: "controlplane" })],
    ["reached from the cluster", of({ egressSelectorType: "cluster" })],
    ["for several", of({ audiences: ["a", "b"], audienceMatchPolicy: "MatchAny" })],
    ["for one, in words", of({ audienceMatchPolicy: "MatchAny" })],
    ["discovered elsewhere", of({ discoveryURL: "https://elsewhere" })],
    ["discovered at the server's own", of({ discoveryURL: "https://own" })],
    [
      "with groups by expression",
      mappings({ groups: { expression: "claims.groups" }, uid: { expression: "claims.sub" } }),
    ],
    ["with an id by claim", mappings({ uid: { claim: "sub" } })],
    [
      "with rules of each kind",
      rules({ claim: "a", requiredValue: "b" }, { claim: "c" }, { expression: "true", message: "no" }),
    ],
    ["with a valid extra key", extra("notk8s.io/foo")],
    ["with mail by claim", mappings({ username: { claim: "email", prefix: "" } })],
    ["with mail in addition to the name", mappings({ extra: [{ key: "a.io/a", valueExpression: "claims.email" }] })],
    ["with mail that the name verifies", byExpression("claims.email_verified ? claims.email : claims.sub")],
    [
      "with mail that a rule verifies",
      byExpression("claims.email", { claimValidationRules: [{ expression: "claims.email_verified == true" }] }),
    ],
    [
      "with mail that a rule verifies if it can",
      byExpression("claims.email", {
        claimValidationRules: [{ expression: "claims.?email_verified.orValue(true) == true" }],
      }),
    ],
    [
      "with mail that extra verifies",
      authenticator({
        claimMappings: {
          username: { expression: "claims.email" },
          extra: [{ key: "a.io/a", valueExpression: "string(claims.email_verified)" }],
        },
      }),
    ],
  ])("but not %s", (_what, one) => {
    expect(errorsOf(one)).toEqual([]);
  });

  it("for an invalid certificate", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = publicKey.export({ type: "spki", format: "pem" });
    expect(errorsOf(of({ certificateAuthority: pem }))).toEqual([
      expect.stringMatching(/^jwt\[0\]\.issuer\.certificateAuthority: Invalid value: "<omitted>": /),
    ]);
  });

  it("the second time, and discovered at the same place", () => {
    const first = of({ discoveryURL: "https://elsewhere" });
    const second = of({ url: "https://other", discoveryURL: "https://elsewhere" });
    expect(errorsOf(authenticator(), [authenticator()])).toEqual([
      'jwt[1].issuer.url: Duplicate value: "https://issuer"',
    ]);
    expect(errorsOf(second, [first])).toEqual(['jwt[1].issuer.discoveryURL: Duplicate value: "https://elsewhere"']);
    expect(errorsOf(of({ url: "https://other" }), [authenticator()])).toEqual([]);
  });
});

it("reports several errors in a URL", () => {
  expect(aggregateFieldErrors(urlErrors("http://a:b@c?d#e", [], fieldPath("url")))).toMatch(
    /scheme must be https.*username or password.*a query.*a fragment/s,
  );
});
