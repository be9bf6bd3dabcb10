import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { signCompact } from "./compact-signature.ts";
import { generateSigningKey } from "./signing-keys.ts";
import { boundTokenAuthenticator } from "./token-authenticator.ts";
import { VerifiedTokens } from "./verified-tokens.ts";

const now = 1_700_000_000;
const key = generateSigningKey();
const stranger = generateSigningKey();
interface Stored {
  readonly uid: string;
  readonly deletionTimestamp?: string;
}
const deletedAgo = (seconds: number): string => new Date((now - seconds) * 1_000).toISOString();
const account: Record<string, Stored> = { "serviceaccounts/default/robot": { uid: "sa" } };
const bound = { namespace: "default", serviceaccount: { name: "robot", uid: "sa" } };
const pod = { name: "web", uid: "pod" };
const node = { name: "n1", uid: "node" };
const secret = { name: "s", uid: "secret" };
const usual = { iss: "https://own", aud: ["kube"], exp: now + 600, nbf: now, iat: now, "kubernetes.io": bound };

function ask(claims: object, objects: Record<string, Stored> = account, wanted = ["kube"], signer = key) {
  const lookup = async (_group: string, resource: string, namespace: string, name: string) => {
    const stored = objects[`${resource}/${namespace}/${name}`];
    return stored && { apiVersion: "v1", kind: "Any", metadata: { name, ...stored } };
  };
  const authenticate = boundTokenAuthenticator({
    tokens: new VerifiedTokens([key]),
    issuers: ["https://own", "https://old"],
    apiAudiences: ["kube", "api"],
    lookup: lookup as never,
    clock: new FakeClock(now * 1_000),
  });
  const token = signCompact({ alg: signer.algorithm, kid: signer.id }, { ...usual, ...claims }, signer.privateKey);
  return authenticate(token, wanted);
}

/** @see kubernetes pkg/serviceaccount claims_test.go, jwt_test.go */
describe("a token of a service account", () => {
  const user = {
    name: "system:serviceaccount:default:robot",
    uid: "sa",
    groups: ["system:serviceaccounts", "system:serviceaccounts:default"],
  };

  it("identifies the account", async () => {
    expect(await ask({})).toStrictEqual({ user, audiences: ["kube"] });
    expect(await ask({ iss: "https://old", aud: "kube" })).toStrictEqual({ user, audiences: ["kube"] });
  });

  it("identifies itself, its bound pod and the pod's node", async () => {
    const stored = { ...account, "pods/default/web": { uid: "pod" } };
    expect(await ask({ jti: "7", "kubernetes.io": { ...bound, pod, node } }, stored)).toMatchObject({
      user: {
        extra: {
          "authentication.kubernetes.io/credential-id": ["JTI=7"],
          "authentication.kubernetes.io/node-name": ["n1"],
          "authentication.kubernetes.io/node-uid": ["node"],
          "authentication.kubernetes.io/pod-name": ["web"],
          "authentication.kubernetes.io/pod-uid": ["pod"],
        },
      },
    });
  });

  it("is valid for its requested audiences, or for the server's own", async () => {
    expect(await ask({ aud: ["a", "b", "c"] }, account, ["c", "a"])).toMatchObject({ audiences: ["a", "c"] });
    for (const aud of [undefined, [], [7]])
      expect(await ask({ aud }, account, ["api"])).toMatchObject({ audiences: ["api"] });
    await expect(ask({ aud: ["a", "b"] })).rejects.toThrow(
      'token audiences ["a" "b"] is invalid for the target audiences ["kube"]',
    );
  });

  it("of another issuer is not a token of this kind", async () => {
    expect(await ask({ iss: "https://other" })).toBeUndefined();
    expect(await ask({ iss: undefined })).toBeUndefined();
  });

  it("is rejected if signed with an unknown key", async () => {
    await expect(ask({}, account, ["kube"], stranger)).rejects.toThrow("error in cryptographic primitive");
  });

  it.each<[string, object, string | undefined]>([
    ["a minute after its end", { exp: now - 60 }, undefined],
    ["longer after its end", { exp: now - 60.001 }, "service account token has expired"],
    ["a minute before its time", { nbf: now + 60 }, undefined],
    ["longer before its time", { nbf: now + 60.001 }, "service account token is not valid yet"],
    ["a minute before it was made", { iat: now + 60 }, undefined],
    ["longer before it was made", { iat: now + 60.001 }, "service account token is issued in the future"],
    ["without times", { exp: undefined, nbf: undefined, iat: undefined }, undefined],
  ])("%s", async (_when, claims, message) => {
    if (message) await expect(ask(claims)).rejects.toThrow(message);
    else expect(await ask(claims)).toMatchObject({ user: { uid: "sa" } });
  });
});

describe("the bound objects of a token", () => {
  const with_ = (more: object) => ({ "kubernetes.io": { ...bound, ...more } });
  const robot = (more: object) => ({ "serviceaccounts/default/robot": { uid: "sa", ...more } });
  const invalidated = "service account token has been invalidated";
  it.each<[string, object, Record<string, Stored>, string | undefined]>([
    ["without its account", {}, {}, 'serviceaccounts "robot" not found'],
    [
      "with another account of the name",
      {},
      robot({ uid: "new" }),
      "service account UID (new) does not match claim (sa)",
    ],
    ["with an account deleted a minute ago", {}, robot({ deletionTimestamp: deletedAgo(60) }), undefined],
    [
      "with an account deleted before",
      {},
      robot({ deletionTimestamp: deletedAgo(60.001) }),
      "service account default/robot has been deleted",
    ],
    ["without its pod", with_({ pod }), account, invalidated],
    [
      "with another pod",
      with_({ pod }),
      { ...account, "pods/default/web": { uid: "new" } },
      "pod UID (new) does not match service account pod ref claim (pod)",
    ],
    [
      "with a pod deleted before",
      with_({ pod }),
      { ...account, "pods/default/web": { uid: "pod", deletionTimestamp: deletedAgo(61) } },
      invalidated,
    ],
    [
      "with a pod deleted just now",
      with_({ pod }),
      { ...account, "pods/default/web": { uid: "pod", deletionTimestamp: deletedAgo(59) } },
      undefined,
    ],
    ["without its secret", with_({ secret }), account, invalidated],
    ["with its secret", with_({ secret }), { ...account, "secrets/default/s": { uid: "secret" } }, undefined],
    ["without its node", with_({ node }), account, invalidated],
    ["with its node", with_({ node }), { ...account, "nodes//n1": { uid: "node" } }, undefined],
    [
      "with another node",
      with_({ node }),
      { ...account, "nodes//n1": { uid: "new" } },
      "node UID (new) does not match service account node ref claim (node)",
    ],
    ["with its pod, and no node", with_({ pod, node }), { ...account, "pods/default/web": { uid: "pod" } }, undefined],
    ["without claims", { "kubernetes.io": undefined }, account, 'serviceaccounts "" not found'],
  ])("%s", async (_what, claims, objects, message) => {
    if (message) await expect(ask(claims, objects)).rejects.toThrow(message);
    else expect(await ask(claims, objects)).toMatchObject({ user: { uid: "sa" } });
  });
});
