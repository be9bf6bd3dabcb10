import { describe, expect, it } from "vitest";
import { signCompact } from "./compact-signature.ts";
import { legacyTokenAuthenticator } from "./legacy-token-authenticator.ts";
import { generateSigningKey } from "./signing-keys.ts";
import { VerifiedTokens } from "./verified-tokens.ts";

const key = generateSigningKey();
const claim = (name: string) => `kubernetes.io/serviceaccount/${name}`;
const usual = {
  iss: "kubernetes/serviceaccount",
  sub: "system:serviceaccount:default:robot",
  [claim("namespace")]: "default",
  [claim("secret.name")]: "s",
  [claim("service-account.name")]: "robot",
  [claim("service-account.uid")]: "sa",
};
const tokenOf = (claims: object) =>
  signCompact({ alg: key.algorithm, kid: key.id }, { ...usual, ...claims }, key.privateKey);

interface Stored {
  readonly secret?: object;
  readonly account?: object;
  readonly data?: object;
  readonly mustExist?: boolean;
  readonly secrets?: unknown;
  readonly wanted?: readonly string[];
}

async function ask(
  claims: object,
  { secret = {}, account = {}, data, mustExist = true, secrets, wanted = ["kube"] }: Stored = {},
) {
  const token = tokenOf(claims);
  const used: string[] = [];
  const objects: Record<string, object> = {
    "secrets/default/s": {
      metadata: { name: "s", ...secret },
      data: data ?? { token: Buffer.from(token).toString("base64") },
    },
    "serviceaccounts/default/robot": { metadata: { name: "robot", uid: "sa", ...account }, secrets },
  };
  const identity = await legacyTokenAuthenticator({
    tokens: new VerifiedTokens([key]),
    apiAudiences: ["kube"],
    lookup: (async (_group: string, resource: string, namespace: string, name: string) => {
      const found = objects[`${resource}/${namespace}/${name}`];
      return found && "gone" in (found as { metadata: object }).metadata ? undefined : found;
    }) as never,
    mustExist,
    onUse: ({ metadata }) => used.push(metadata.name),
  })(token, wanted);
  return { identity, used };
}

/** @see kubernetes pkg/serviceaccount jwt_test.go TestTokenGenerateAndValidate */
describe("a token from a Secret", () => {
  const identity = {
    user: {
      name: "system:serviceaccount:default:robot",
      uid: "sa",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default"],
    },
    audiences: ["kube"],
  };
  const warnings = [
    "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.",
  ];

  it("identifies the account, and its use is reported", async () => {
    expect(await ask({})).toStrictEqual({ identity, used: ["s"] });
  });

  it("causes a warning if the account lists the Secret", async () => {
    expect((await ask({}, { secrets: [{ name: "other" }, { name: "s" }] })).identity).toStrictEqual({
      ...identity,
      warnings,
    });
    expect((await ask({}, { secrets: [{ name: "other" }, "s"] })).identity).toStrictEqual(identity);
  });

  it("does not require existing objects without a lookup", async () => {
    expect(await ask({}, { mustExist: false, secret: { gone: true } })).toStrictEqual({ identity, used: [] });
  });

  it("of another issuer is not a token of this kind", async () => {
    expect(await ask({ iss: "https://own" })).toEqual({ identity: undefined, used: [] });
  });

  it.each<[string, object, Stored, string]>([
    ["for others", {}, { wanted: ["other"] }, 'token audiences ["kube"] is invalid for the target audiences ["other"]'],
    ["without a subject", { sub: "" }, {}, "sub claim is missing"],
    ["without a namespace", { [claim("namespace")]: "" }, {}, "namespace claim is missing"],
    ["without a Secret's name", { [claim("secret.name")]: undefined }, {}, "secretName claim is missing"],
    ["without an account's name", { [claim("service-account.name")]: 7 }, {}, "serviceAccountName claim is missing"],
    ["without an account's UID", { [claim("service-account.uid")]: "" }, {}, "serviceAccountUID claim is missing"],
    ["of another subject", { sub: "system:serviceaccount:default:other" }, {}, "sub claim is invalid"],
    ["of another namespace's subject", { sub: "system:serviceaccount:other:robot" }, {}, "sub claim is invalid"],
    ["with a subject that is not an account", { sub: "jane" }, {}, "sub claim is invalid"],
    ["without its Secret", {}, { secret: { gone: true } }, "Token has been invalidated"],
    [
      "whose Secret is being deleted",
      {},
      { secret: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
      "Token has been invalidated",
    ],
    ["whose Secret contains another token", {}, { data: { token: "YQ==" } }, "Token does not match server's copy"],
    ["whose Secret contains no token", {}, { data: {} }, "Token does not match server's copy"],
    ["without its account", {}, { account: { gone: true } }, 'serviceaccounts "robot" not found'],
    [
      "whose account is being deleted",
      {},
      { account: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
      "ServiceAccount default/robot has been deleted",
    ],
    [
      "of another account of the name",
      {},
      { account: { uid: "new" } },
      "ServiceAccount UID (new) does not match claim (sa)",
    ],
    [
      "that has been marked invalid",
      {},
      { secret: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } } },
      "the token in secret default/s for service account default/robot has been marked invalid.",
    ],
  ])("%s is refused", async (_what, claims, stored, message) => {
    await expect(ask(claims, stored)).rejects.toThrow(message);
  });
});
