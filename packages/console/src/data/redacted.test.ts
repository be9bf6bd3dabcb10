import { expect, it } from "vitest";
import { redacted } from "./redacted.ts";

it("hides what is secret, and shows what only names a secret", () => {
  const shown = redacted({
    apiVersion: "v1",
    kind: "Site",
    metadata: {
      name: "a",
      managedFields: [{}],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "x" },
    },
    ...{ spec: { preSharedKey: "x", secretName: "vpn", peers: [{ password: "x", name: "b" }], tokenSeconds: 3 } },
  });
  expect(shown).toEqual({
    apiVersion: "v1",
    kind: "Site",
    metadata: { name: "a", annotations: { "kubectl.kubernetes.io/last-applied-configuration": "(hidden)" } },
    spec: {
      preSharedKey: "(hidden)",
      secretName: "vpn",
      peers: [{ password: "(hidden)", name: "b" }],
      tokenSeconds: 3,
    },
  });
});

it("hides what is secret however its name is spelled, one by one or many at a time", () => {
  const spec = {
    ...{ pre_shared_key: "x", "private-key": "x", API_KEY: "x", local_private_cert: "x", clientSecret: "x" },
    ...{ passwords: ["x", "y"], auth: { tokens: { a: "x" } }, env: [{ name: "DB_PASSWORD", value: "x" }] },
    ...{ secret: "vpn", secretName: "vpn", publicKey: "p", keys: ["k"], passwordSecretRef: { name: "vpn", key: "k" } },
  };
  const annotations = { kept: '{"spec":{"pre_shared_key":"x","a":1}}', text: "{not json", plain: "a" };
  const metadata = { name: "a", annotations };
  const shown = redacted({ apiVersion: "v1", kind: "Site", metadata, ...{ spec } }) as {
    metadata: object;
    spec: Record<string, unknown>;
  };
  expect(shown.metadata).toEqual({
    name: "a",
    annotations: { kept: '{"spec":{"pre_shared_key":"(hidden)","a":1}}', text: "{not json", plain: "a" },
  });
  const hidden = "(hidden)";
  expect(shown.spec).toEqual({
    ...{
      pre_shared_key: hidden,
      "private-key": hidden,
      API_KEY: hidden,
      local_private_cert: hidden,
      clientSecret: hidden,
    },
    ...{ passwords: [hidden, hidden], auth: { tokens: { a: hidden } }, env: [{ name: "DB_PASSWORD", value: hidden }] },
    ...{ secret: "vpn", secretName: "vpn", publicKey: "p", keys: ["k"], passwordSecretRef: { name: "vpn", key: "k" } },
  });
});
