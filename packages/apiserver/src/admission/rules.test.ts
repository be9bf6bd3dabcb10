import { describe, expect, it } from "vitest";
import { isExcludedFromAdmission, type OperationRule, ruleMatches } from "./rules.ts";

const rule = (parts: OperationRule): OperationRule => ({
  operations: ["*"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: ["*"],
  ...parts,
});
const asked = (subresource = "", namespace = "default", name = "a") =>
  ({ operation: "UPDATE", subresource, namespace, name }) as const;
const pods = { group: "", version: "v1", resource: "pods" };

describe("a rule's resources", () => {
  it.each([
    ["*", "", true],
    ["*", "status", false],
    ["*/*", "", true],
    ["*/*", "status", true],
    ["pods", "", true],
    ["pods", "status", false],
    ["pods/*", "", true],
    ["pods/*", "status", true],
    ["pods/status", "status", true],
    ["pods/status", "", false],
    ["*/status", "status", true],
    ["services", "", false],
  ])("%s and pods/%s: %s", (resource, subresource, matches) => {
    expect(ruleMatches(rule({ resources: [resource] }), asked(subresource), pods)).toBe(matches);
  });
});

describe("a rule's scope", () => {
  it("treats a namespace as cluster-scoped", () => {
    const namespaces = { group: "", version: "v1", resource: "namespaces" };
    expect(ruleMatches(rule({ scope: "Cluster" }), asked(), namespaces)).toBe(true);
    expect(ruleMatches(rule({ scope: "Namespaced" }), asked(), namespaces)).toBe(false);
    expect(ruleMatches(rule({ scope: "Namespaced" }), asked(), pods)).toBe(true);
    expect(ruleMatches(rule({ scope: "Cluster" }), asked("", ""), { ...pods, resource: "nodes" })).toBe(true);
  });
});

it("a rule with names matches only these", () => {
  expect(ruleMatches(rule({ resourceNames: ["b"] }), asked(), pods)).toBe(false);
  expect(ruleMatches(rule({ resourceNames: ["a", "b"] }), asked(), pods)).toBe(true);
});

it.each([
  [{ operations: ["CREATE"] }, false],
  [{ operations: ["CREATE", "UPDATE"] }, true],
  [{ operations: [] }, false],
  [{ apiGroups: ["apps"] }, false],
  [{ apiGroups: ["apps", ""] }, true],
  [{ apiVersions: ["v2"] }, false],
  [{ apiVersions: ["v1"] }, true],
  [{ resources: [] }, false],
  [{ resourceNames: [] }, true],
  [{ scope: "*" }, true],
  [{}, true],
])("a rule with %j matches an update of a pod: %s", (parts, matches) => {
  expect(ruleMatches(rule(parts), asked(), pods)).toBe(matches);
  expect(ruleMatches(parts, asked(), pods)).toBe(false);
});

it("excludes admission configurations and reviews from admission", () => {
  const of = (resource: string, group = "admissionregistration.k8s.io") => isExcludedFromAdmission({ group, resource });
  const names = ["webhookconfigurations", "admissionpolicies", "admissionpolicybindings"];
  expect(names.flatMap((name) => [of(`validating${name}`), of(`mutating${name}`)])).toEqual(Array(6).fill(true));
  expect([of("others"), of("validatingwebhookconfigurations", "example.com")]).toEqual([false, false]);
  expect([of("tokenreviews", "authentication.k8s.io"), of("tokenreviews")]).toEqual([true, false]);
});
