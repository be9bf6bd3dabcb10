import { fieldPath } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { validatePodSpec } from "./pod-validation.ts";

it("the hostname override must be a subdomain, and excludes the host network", () => {
  const errorsOf = (spec: object): string[] =>
    validatePodSpec({ ...spec, containers: [] }, fieldPath("spec"))
      .filter(({ field }) => field === "spec.hostnameOverride")
      .map(({ type, detail }) => `${type}: ${detail}`);
  expect(errorsOf({ hostnameOverride: "a.example.com" })).toEqual([]);
  expect(errorsOf({ hostnameOverride: "Not-RFC1123" })).toHaveLength(1);
  expect(errorsOf({ hostnameOverride: "a", hostNetwork: true, setHostnameAsFQDN: true })).toEqual([
    "FieldValueForbidden: may not be specified when setHostnameAsFQDN is true",
    "FieldValueForbidden: may not be specified when hostNetwork is true",
  ]);
});
