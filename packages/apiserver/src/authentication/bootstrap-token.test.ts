import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { bootstrapTokenAuthenticator } from "./bootstrap-token.ts";

const token = "abcdef.0123456789abcdef";
const now = Date.parse("2026-01-01T00:00:00Z");
interface Kept {
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly deletionTimestamp?: string;
}
const usual = {
  "token-id": "abcdef",
  "token-secret": "0123456789abcdef",
  "usage-bootstrap-authentication": "true",
};

function ask(presented: string, { data = {}, type = "bootstrap.kubernetes.io/token", deletionTimestamp }: Kept = {}) {
  const members = Object.entries({ ...usual, ...data }).filter(([, value]) => value !== "absent");
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "bootstrap-token-abcdef",
      namespace: "kube-system",
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
    type,
    data: Object.fromEntries(members.map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
  };
  const lookup = async (...path: string[]) =>
    path.join("/") === "/secrets/kube-system/bootstrap-token-abcdef" ? secret : undefined;
  return bootstrapTokenAuthenticator(lookup as never, new FakeClock(now))(presented, []);
}

/** @see kubernetes plugin/pkg/auth/authenticator/token/bootstrap bootstrap_test.go */
it.each<[string, Kept]>([
  ["is known", {}],
  ["has not expired", { data: { expiration: "2026-01-01T00:00:01Z" } }],
  ["adds no groups", { data: { "auth-extra-groups": "" } }],
])("a token that %s", async (_what, kept) => {
  expect(await ask(token, kept)).toEqual({
    user: { name: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] },
  });
});

it("a token adds groups for joining nodes, each once, sorted", async () => {
  const groups = "system:bootstrappers:b,system:bootstrappers:a-1:x,system:bootstrappers:b";
  expect(await ask(token, { data: { "auth-extra-groups": groups } })).toMatchObject({
    user: { groups: ["system:bootstrappers", "system:bootstrappers:a-1:x", "system:bootstrappers:b"] },
  });
});

it.each<[string, string, Kept]>([
  ["of another form", "abcdef-0123456789abcdef", {}],
  ["with a longer id", "xabcdef.0123456789abcdef", {}],
  ["with a longer secret", `${token}0`, {}],
  ["without a Secret", "ffffff.0123456789abcdef", {}],
  ["with another secret", "abcdef.0123456789abcdee", {}],
  ["whose Secret contains no token secret", token, { data: { "token-secret": "absent" } }],
  ["whose Secret contains a longer token secret", token, { data: { "token-secret": "0123456789abcdef0" } }],
  ["whose Secret has another id", token, { data: { "token-id": "fedcba" } }],
  ["whose Secret has no id", token, { data: { "token-id": "absent" } }],
  ["whose Secret is of another type", token, { type: "Opaque" }],
  ["whose Secret is being deleted", token, { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ["that has expired", token, { data: { expiration: "2025-12-31T23:59:59Z" } }],
  ["that expires now", token, { data: { expiration: "2026-01-01T00:00:00Z" } }],
  ["that expires at no time", token, { data: { expiration: "soon" } }],
  ["not meant for this", token, { data: { "usage-bootstrap-authentication": "false" } }],
  ["without usage for authentication", token, { data: { "usage-bootstrap-authentication": "absent" } }],
  ["with groups of others", token, { data: { "auth-extra-groups": "system:masters" } }],
  ["with one group of others", token, { data: { "auth-extra-groups": "system:bootstrappers:a,dev" } }],
])("a token %s is not valid", async (_what, presented, kept) => {
  expect(await ask(presented, kept)).toBeUndefined();
});
