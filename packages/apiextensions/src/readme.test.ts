import { expect, it } from "vitest";
import { servedVersions } from "./served/served-versions.ts";

it("runs the README's example", () => {
  const openAPIV3Schema = {
    type: "object",
    properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  };
  const [v1] = servedVersions({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "shops.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "shops", kind: "Shop" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  expect(v1?.resource).toBe("shops");
  expect(v1?.strategy).toBeDefined();
});
