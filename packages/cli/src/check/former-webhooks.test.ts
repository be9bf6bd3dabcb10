import type { Unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { DescribedProgram } from "../generate/describe-program.ts";
import { formerWebhooks } from "./former-webhooks.ts";

const service = { namespace: "shop-system", name: "shop-webhook-service" };
const certificates = {
  ...{ secret: { namespace: "shop-system", name: "cert" }, service },
  ...{ mutatingWebhookConfigurations: [], validatingWebhookConfigurations: [], customResourceDefinitions: [] },
};
const resource = {
  group: "shop.example.com",
  plural: "sites",
  kind: "Site",
  version: "v1",
  scope: "Namespaced",
} as const;
const program: DescribedProgram = {
  ...{ name: "shop", kinds: [], controllers: [], permissions: [], caches: [], webhookConfigurations: [], certificates },
  webhooks: [{ type: "validating", path: "/v1", resource, operations: [] }],
  metrics: { isAuthenticated: false },
};
const configuration = (name: string, path: string, version: string, calls: object = service, kind = "Validating") =>
  ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: "shop" },
    webhooks: [
      {
        name,
        clientConfig: { service: { ...calls, path } },
        rules: [{ apiGroups: ["shop.example.com"], apiVersions: [version], resources: ["sites"] }],
      },
    ],
  }) satisfies Unstructured;
const definition = (name: string, strategy: string): Unstructured => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: { conversion: { strategy } },
});
const next = [configuration("site.v1", "/v1", "v1"), definition("sites.shop.example.com", "None")];
const found = (before: readonly Unstructured[], described = program) =>
  formerWebhooks(before, next, described).map(({ name, isProblem }) => [name, isProblem]);

it("finds webhooks that leave a gap, and those that the leader removes", () => {
  expect(found(next)).toEqual([]);
  expect(found([configuration("old", "/old", "v1")])).toEqual([["old", false]]);
  expect(found([configuration("old", "/old", "v0")])).toEqual([["old", true]]);
  expect(found([configuration("site.v1", "/old", "v0")])).toEqual([["site.v1", true]]);
  expect(found([configuration("site.v1", "/old", "v1")])).toEqual([]); // the entry is updated
  expect(found([configuration("site.v1", "/old", "v1", service, "Mutating")])).toEqual([["site.v1", false]]);
  expect(found([configuration("foreign", "/old", "v0", { ...service, name: "other" })])).toEqual([]);
  expect(found([configuration("old", "/old", "v1")], { ...program, webhooks: [] })).toEqual([["old", true]]);
});

it("finds kinds whose objects could no longer be converted", () => {
  const [hooked, plain] = [
    definition("pools.shop.example.com", "Webhook"),
    definition("zones.shop.example.com", "None"),
  ];
  expect(found([hooked, plain, definition("sites.shop.example.com", "Webhook")])).toEqual([
    [hooked.metadata.name, true],
  ]);
});
