import { describe, expect, it } from "vitest";
import { type OperationRule, ruleMatches } from "./rules.ts";

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
  it("counts a namespace among the objects of the cluster", () => {
    const namespaces = { group: "", version: "v1", resource: "namespaces" };
    expect(ruleMatches(rule({ scope: "Cluster" }), asked(), namespaces)).toBe(true);
    expect(ruleMatches(rule({ scope: "Namespaced" }), asked(), namespaces)).toBe(false);
    expect(ruleMatches(rule({ scope: "Namespaced" }), asked(), pods)).toBe(true);
    expect(ruleMatches(rule({ scope: "Cluster" }), asked("", ""), { ...pods, resource: "nodes" })).toBe(true);
  });
});

it("a rule with names is about these alone", () => {
  expect(ruleMatches(rule({ resourceNames: ["b"] }), asked(), pods)).toBe(false);
  expect(ruleMatches(rule({ resourceNames: ["a", "b"] }), asked(), pods)).toBe(true);
});
