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
