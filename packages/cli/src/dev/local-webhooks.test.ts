import { expect, it } from "vitest";
import { convertedHere, localConfigurations } from "./local-webhooks.ts";

const service = { name: "webhook-service", namespace: "system", path: "/validate" };
const rules = [{ operations: ["CREATE"] }];
const webhook = {
  name: "v.example.com",
  rules,
  clientConfig: { service, caBundle: "x" },
  failurePolicy: "Fail",
  matchPolicy: "Exact",
};

it("contains webhooks of both types with their paths, without fields that the session sets", () => {
  const local = { name: "v.example.com", rules, matchPolicy: "Exact", path: "/validate" };
  const described = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"].map((kind) => ({
    ...{ kind, webhooks: [{ ...webhook, sideEffects: "None", admissionReviewVersions: ["v1"] }] },
  }));
  expect(localConfigurations(described)).toEqual([
    { kind: "MutatingWebhookConfiguration", name: "mutating", webhooks: [local] },
    { kind: "ValidatingWebhookConfiguration", name: "validating", webhooks: [local] },
  ]);
});

it("leaves out webhooks of others", () => {
  const kind = "ValidatingWebhookConfiguration";
  for (const one of [{}, { kind }, { kind, webhooks: {} }, { kind: "CustomResourceDefinition", webhooks: [webhook] }])
    expect([one, localConfigurations([one])]).toEqual([one, []]);
  const others = [
    ...[null, {}, { ...webhook, clientConfig: null }, { ...webhook, clientConfig: { url: "https://a" } }],
    ...[
      { ...webhook, clientConfig: { service: { name: "a" } } },
      { ...webhook, name: 1 },
      { ...webhook, rules: {} },
    ],
  ];
  expect(localConfigurations([{ kind, webhooks: others }])).toEqual([{ kind, name: "validating", webhooks: [] }]);
});

it("redirects conversion only in definitions that a webhook converts", () => {
  const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: { service } } };
  const definition = { kind: "CustomResourceDefinition", spec: { group: "example.com", conversion } };
  expect(convertedHere(definition, "https://127.0.0.1:1/x", "PEM")).toEqual({
    ...definition,
    spec: {
      group: "example.com",
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: "https://127.0.0.1:1/convert", caBundle: Buffer.from("PEM").toString("base64") },
        },
      },
    },
  });
  for (const spec of [
    undefined,
    {},
    { conversion: { strategy: "None" } },
    { conversion: { ...conversion, strategy: "None" } },
  ]) {
    const other = { kind: "CustomResourceDefinition", ...(spec ? { spec } : {}) };
    expect(convertedHere(other, "https://127.0.0.1:1", "PEM")).toBe(other);
  }
});
