import { expect, it } from "vitest";
import { apiVersionOf, groupKindKey, gvkKey, kindOf, parseApiVersion, unstructured } from "./kind.ts";

it("reads and writes group and version", () => {
  expect(apiVersionOf({ group: "", version: "v1" })).toBe("v1");
  expect(parseApiVersion("apps/v1")).toEqual({ group: "apps", version: "v1" });
  expect(kindOf({ apiVersion: "v1", kind: "Pod" })).toEqual({ group: "", version: "v1", kind: "Pod" });
  for (const odd of ["", "a/b/c"]) expect(() => parseApiVersion(odd)).toThrow("unexpected GroupVersion string");
});

it("names kinds as upstream's messages do", () => {
  const deployment = unstructured({ apiVersion: "apps/v1", kind: "Deployment", scope: "Namespaced" });
  expect(groupKindKey(deployment)).toBe("Deployment.apps");
  expect(groupKindKey({ group: "", kind: "Pod" })).toBe("Pod");
  expect(gvkKey(deployment)).toBe("apps/v1, Kind=Deployment");
});
