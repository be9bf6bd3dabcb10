import type { Unstructured } from "@kubewright/apimachinery";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { converting, expanding, isHeld } from "./definition-phases.ts";

const metadata = { name: "sites.shop.example.com" };
const version = (name: string, storage = false, served = true, schema = "new") => ({
  ...{ name, served, storage },
  schema: { openAPIV3Schema: { type: "object", description: schema } },
});
const webhook = { clientConfig: { service: { namespace: "s", name: "w", path: "/convert" } } };
const hooked = { strategy: "Webhook", webhook: { ...webhook, conversionReviewVersions: ["v1"] } };
const trusted = {
  strategy: "Webhook",
  webhook: { clientConfig: { ...webhook.clientConfig, caBundle: "Y2E=" }, conversionReviewVersions: ["v1"] },
};
const none = { strategy: "None" };

const next = (versions: readonly object[], conversion?: object): Unstructured => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata,
  spec: { group: "shop.example.com", versions, ...(conversion ? { conversion } : {}) },
});
const live = (versions: readonly object[], conversion?: object) =>
  next(versions, conversion) as unknown as CustomResourceDefinition; // an API server validated it

it.each([
  ["a schema alone", [version("v1", true)], none, [version("v1", true, true, "old")], none, false],
  ["the order alone", [version("v1", true), version("v2")], none, [version("v2"), version("v1", true)], none, false],
  ["nothing if one omits the default", [version("v1", true)], undefined, [version("v1", true)], none, false],
  ["one more version", [version("v1", true), version("v2")], none, [version("v1", true)], none, true],
  ["one version less", [version("v1", true)], none, [version("v1", true), version("v2")], none, true],
  ["what is stored", [version("v1"), version("v2", true)], none, [version("v1", true), version("v2")], none, true],
  ["what is served", [version("v1", true, false)], none, [version("v1", true)], none, true],
  ["the conversion", [version("v1", true)], hooked, [version("v1", true)], none, true],
])("detects a change of %s", (_, wanted, conversion, versions, before, expected) => {
  expect(isHeld(next(wanted, conversion), live(versions, before))).toBe(expected);
});

it("first keeps live versions and conversion, with the new schemas", () => {
  const before = live([version("v1alpha1", true, true, "old"), version("v0", false, false, "old")], none);
  const wanted = next([version("v1", true), version("v1alpha1")], hooked);
  expect(expanding(wanted, before).spec).toEqual({
    group: "shop.example.com",
    versions: [version("v1alpha1", true), version("v0", false, false, "old")],
    conversion: none,
  });
  // The service is updated at once; the bundle belongs to the injector.
  expect(expanding(wanted, live([version("v1", true)], trusted)).spec).toMatchObject({ conversion: hooked });
  const kept = expanding(next([version("v1", true)], none), live([version("v1", true)], trusted)).spec;
  expect(kept).toMatchObject({ conversion: hooked });
  expect(JSON.stringify(kept)).not.toContain("caBundle");
});

it("installs the new conversion before a version needs it", () => {
  const wanted = next([version("v1", true), version("v1alpha1")], hooked);
  expect(converting(wanted, live([version("v1alpha1", true)], none))?.spec).toMatchObject({
    versions: [version("v1alpha1", true)],
    conversion: hooked,
  });
  expect(converting(wanted, live([version("v1alpha1", true)], hooked))).toBeDefined(); // without a CA bundle yet
  expect(converting(wanted, live([version("v1alpha1", true)], trusted))).toBeUndefined();
  expect(converting(next([version("v1", true)], none), live([version("v1", true)], trusted))).toBeUndefined();
});
