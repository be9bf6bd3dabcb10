import { describe, expect, it } from "vitest";
import { checkJwtAuthenticator, readAuthenticationConfiguration } from "./authentication-configuration.ts";
import { signingAlgorithms } from "./oidc/jwt-authenticator-config.ts";

const read = (config: object, own: readonly string[] = []) =>
  readAuthenticationConfiguration(
    "auth.yaml",
    JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration", ...config }),
    own,
  );
const issuer = { url: "https://issuer", audiences: ["kube"] };
const least = { issuer, claimMappings: { username: { claim: "sub", prefix: "oidc:" } } };

describe("a configuration of issuers", () => {
  it("of the minimum", () => {
    expect(read({ jwt: [least] })).toStrictEqual({
      jwt: [
        {
          issuer,
          claimValidationRules: [],
          claimMappings: { username: { claim: "sub", prefix: "oidc:" }, extra: [] },
          userValidationRules: [],
          signingAlgs: signingAlgorithms,
        },
      ],
    });
  });

  it("with every field", () => {
    const jwt = {
      issuer: { ...issuer, discoveryURL: "https://elsewhere", audienceMatchPolicy: "MatchAny" },
      claimValidationRules: [
        { claim: "hd", requiredValue: "example.com" },
        { expression: "claims.admin == false", message: "no administrators" },
        { claim: "present" },
      ],
      claimMappings: {
        username: { expression: "claims.sub" },
        groups: { claim: "groups", prefix: "" },
        uid: { claim: "uid" },
        extra: [{ key: "example.com/team", valueExpression: "claims.team" }],
      },
      userValidationRules: [{ expression: "user.username != 'root'", message: "no root" }],
    };
    expect(read({ jwt: [jwt] }).jwt).toStrictEqual([
      {
        issuer: { ...issuer, discoveryURL: "https://elsewhere" },
        claimValidationRules: [
          { claim: "hd", requiredValue: "example.com" },
          { expression: "claims.admin == false", message: "no administrators" },
          { claim: "present", requiredValue: "" },
        ],
        claimMappings: { ...jwt.claimMappings, uid: { claim: "uid", prefix: "" } },
        userValidationRules: jwt.userValidationRules,
        signingAlgs: signingAlgorithms,
      },
    ]);
  });

  it("of groups and ids by expression, or without", () => {
    const mapped = (more: object) => {
      const [one] = read({ jwt: [{ ...least, claimMappings: { ...least.claimMappings, ...more } }] }).jwt;
      return one?.claimMappings;
    };
    expect(mapped({ groups: { expression: "claims.a" }, uid: { expression: "claims.b" } })).toMatchObject({
      groups: { expression: "claims.a" },
      uid: { expression: "claims.b" },
    });
    expect(Object.keys(mapped({ groups: {}, uid: {} }) ?? {})).toEqual(["username", "extra"]);
  });

  it.each<[object, object | undefined]>([
    [{}, undefined],
    [{ anonymous: { enabled: true } }, { enabled: true }],
    [{ anonymous: { enabled: false } }, { enabled: false }],
    [{ anonymous: {} }, { enabled: false }],
    [
      { anonymous: { enabled: true, conditions: [{ path: "/livez" }, { path: "/readyz" }] } },
      { enabled: true, paths: ["/livez", "/readyz"] },
    ],
  ])("of anonymous access: %j", (config, anonymous) => {
    expect(read(config)).toStrictEqual({ jwt: [], ...(anonymous ? { anonymous } : {}) });
  });
});

describe("a configuration is refused", () => {
  it.each<[string, object, string]>([
    [
      "that has members of no meaning",
      { jwt: [{ ...least, scopes: [] }] },
      'failed to load authentication configuration from file "auth.yaml": strict decoding error: unknown field "jwt[0].scopes"',
    ],
    ["of another kind", { kind: "Configuration" }, 'no kind "Configuration" is registered for version'],
    ["of another version", { apiVersion: "apiserver.config.k8s.io/v2" }, "is registered for version"],
    [
      "with conditions but disabled",
      { anonymous: { enabled: false, conditions: [{ path: "/livez" }] } },
      'invalid authentication configuration: anonymous.conditions: Invalid value: [{"Path":"/livez"}]: enabled should be set to true when conditions are defined',
    ],
    [
      "with the server's own issuer, and one twice",
      { jwt: [least, least, { ...least, issuer: { ...issuer, url: "https://own" } }] },
      'invalid authentication configuration: [jwt[1].issuer.url: Duplicate value: "https://issuer", jwt[2].issuer.url: Invalid value: "https://own": URL must not overlap with disallowed issuers: [https://own]]',
    ],
    [
      "with too many issuers",
      { jwt: Array.from({ length: 65 }, () => least) },
      "invalid authentication configuration: jwt: Too many: 65: must have at most 64 items",
    ],
  ])("%s", (_what, config, message) => {
    expect(() => read(config, ["https://own"])).toThrow(message);
  });

  it("unless it has 64 issuers, in any version", () => {
    const jwt = Array.from({ length: 64 }, (_, i) => ({ ...least, issuer: { ...issuer, url: `https://${i}` } }));
    for (const version of ["v1", "v1beta1", "v1alpha1"])
      expect(read({ apiVersion: `apiserver.config.k8s.io/${version}`, jwt }).jwt).toHaveLength(64);
  });

  it("for options with the same messages", () => {
    const [config] = read({ jwt: [least] }).jwt;
    if (!config) throw new Error("one is read");
    expect(() => checkJwtAuthenticator(config)).not.toThrow();
    const other = { ...config, issuer: { ...config.issuer, url: "http://issuer", certificateAuthority: "none" } };
    expect(() => checkJwtAuthenticator(other)).toThrow(
      /^invalid authentication configuration: \[jwt\[0\]\.issuer\.url: .* must be https, jwt\[0\]\.issuer\.certificateAuthority: /,
    );
  });
});
