import { expect, it } from "vitest";
import type { CaBundleTarget } from "./ca-bundles.ts";
import { certificatesDescription } from "./certificates-description.ts";

const targets: readonly CaBundleTarget[] = [
  { kind: "ValidatingWebhookConfiguration", name: "v" },
  { kind: "CustomResourceDefinition", name: "sites" },
  { kind: "MutatingWebhookConfiguration", name: "m" },
  { kind: "CustomResourceDefinition", name: "shops" },
];

it.each([
  ["a list", targets],
  ["its target", () => targets],
])("names the targets of the CA by their kind: %s", (_, given) => {
  expect(certificatesDescription({ namespace: "shop", name: "tls" }, given)).toEqual({
    secret: { namespace: "shop", name: "tls" },
    mutatingWebhookConfigurations: ["m"],
    validatingWebhookConfigurations: ["v"],
    customResourceDefinitions: ["sites", "shops"],
  });
});
