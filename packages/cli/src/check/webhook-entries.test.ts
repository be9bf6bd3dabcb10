import { expect, it } from "vitest";
import { entriesOf, isConfiguration, isSameEntry, isServed, resourcesOf } from "./webhook-entries.ts";

const entry = (path: string, version = "v1alpha1", resources = ["sites"], group = "shop.example.com") => {
  const service = { namespace: "shop-system", name: "shop-webhook-service", path };
  const rules = [{ operations: ["CREATE"], apiGroups: [group], apiVersions: [version], resources }];
  const webhooks = [{ name: "old.shop.example.com", clientConfig: { service }, rules }];
  const [made] = entriesOf({ kind: "ValidatingWebhookConfiguration", webhooks });
  return made ?? expect.unreachable();
};

const resource = {
  group: "shop.example.com",
  plural: "sites",
  kind: "Site",
  version: "v1",
  scope: "Namespaced",
} as const;
const webhook = (type: "mutating" | "validating" | "conversion", path: string) => ({
  type,
  path,
  resource,
  operations: [],
});
const certificates = {
  secret: { namespace: "shop-system", name: "cert" },
  ...{ mutatingWebhookConfigurations: [], validatingWebhookConfigurations: [], customResourceDefinitions: [] },
};
const crd = (...versions: string[]) => ({
  metadata: { name: "sites.shop.example.com" },
  spec: { versions: versions.map((name) => ({ name })) },
});
const program = {
  webhooks: [webhook("validating", "/validate")],
  kinds: [{ ...resource, crd: crd("v1") }],
  webhookConfigurations: [],
  certificates,
};

it.each<[string, boolean, ReturnType<typeof entry>, object]>([
  ["at one of its own paths", true, entry("/validate", "v1alpha1"), {}],
  ["in an unknown version", false, entry("/old"), {}],
  ["in the version of its webhook", true, entry("/old", "v1"), {}],
  [
    "in a version of its definition without conversion",
    true,
    entry("/old"),
    { kinds: [{ ...resource, crd: crd("v1", "v1alpha1") }] },
  ],
  ["in a converted version", true, entry("/old"), { webhookConfigurations: [crd("v1", "v1alpha1")] }],
  [
    "in a version that is no longer converted",
    false,
    entry("/old"),
    { kinds: [{ ...resource, crd: crd("v1", "v1alpha1") }], webhookConfigurations: [crd("v1")] },
  ],
  ["about a kind without a webhook", true, entry("/old", "v1", ["pools"]), {}],
  ["for a kind that is only converted", true, entry("/old"), { webhooks: [webhook("conversion", "/convert")] }],
  ["for two kinds, one of them unknown", false, entry("/old", "v1alpha1", ["pools", "sites"]), {}],
  ["for another group", true, entry("/old", "v1alpha1", ["sites"], "other.example.com"), {}],
  ["without a webhook at all", false, entry("/old", "v1", ["pools"]), { webhooks: [] }],
  ["whose certificate is a mount's", false, entry("/old", "v1"), { certificates: undefined }],
])("reports whether a program serves an earlier webhook, %s: %s", (_, expected, one, more) => {
  expect(isServed(one, { ...program, ...more })).toBe(expected);
});

it("reads the entries of configurations", () => {
  expect(isConfiguration({ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" })).toBe(
    true,
  );
  expect(isConfiguration({ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy" })).toBe(
    false,
  );
  expect(isConfiguration({ apiVersion: "example.com/v1", kind: "MutatingWebhookConfiguration" })).toBe(false);
  const one = entry("/a");
  expect([one.type, one.path, one.service]).toEqual(["validating", "/a", "shop-system/shop-webhook-service"]);
  expect(resourcesOf(one)).toEqual(["sites.shop.example.com"]);
  expect(resourcesOf(entry("/a", "v1", ["pods"], ""))).toEqual(["pods"]);
  const [called] = entriesOf({
    kind: "MutatingWebhookConfiguration",
    webhooks: [{ name: "b", clientConfig: { url: "https://b" } }],
  });
  expect(called).toMatchObject({ type: "mutating", path: undefined, service: undefined, rules: [] });
  expect(isSameEntry(one, entry("/a"))).toBe(true);
  for (const other of [entry("/b"), entry("/a", "v2"), { ...one, name: "x" }])
    expect(isSameEntry(one, other)).toBe(false);
});
