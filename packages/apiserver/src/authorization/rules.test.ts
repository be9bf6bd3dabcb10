import { describe, expect, it } from "vitest";
import type { AuthorizationAttributes } from "./authorizer.ts";
import { allRules, noRules, type RbacRule, ruleAllows, unionRuleResolver, unlistedRules } from "./rules.ts";

const attributes = (more: Partial<AuthorizationAttributes>): AuthorizationAttributes => ({
  user: { name: "jane", groups: [] },
  verb: "get",
  isResourceRequest: true,
  path: "",
  group: "apps",
  version: "v1",
  resource: "deployments",
  subresource: "",
  namespace: "default",
  name: "web",
  ...more,
});
const rule = (more: Partial<RbacRule> = {}): RbacRule => ({
  verbs: ["get"],
  apiGroups: ["apps"],
  resources: ["deployments"],
  ...more,
});
const url = (...nonResourceURLs: string[]): RbacRule => ({ verbs: ["get"], nonResourceURLs });

describe("a rule for resources", () => {
  it.each<[string, Partial<RbacRule>, Partial<AuthorizationAttributes>, boolean]>([
    ["all that it names", {}, {}, true],
    ["another verb", {}, { verb: "list" }, false],
    ["any verb", { verbs: ["*"] }, { verb: "list" }, true],
    ["another group", {}, { group: "" }, false],
    ["any group", { apiGroups: ["*"] }, { group: "" }, true],
    ["a group, but names none", { apiGroups: [] }, {}, false],
    ["another resource", {}, { resource: "pods" }, false],
    ["any resource", { resources: ["*"] }, { resource: "pods" }, true],
    ["a part of any resource", { resources: ["*"] }, { subresource: "scale" }, true],
    ["a part that it does not name", {}, { subresource: "scale" }, false],
    ["a part that it names", { resources: ["deployments/scale"] }, { subresource: "scale" }, true],
    ["another part", { resources: ["deployments/scale"] }, { subresource: "status" }, false],
    ["the resource, but names a subresource", { resources: ["deployments/scale"] }, {}, false],
    ["that part of any resource", { resources: ["*/scale"] }, { subresource: "scale" }, true],
    ["the resource, but names a subresource of any", { resources: ["*/scale"] }, {}, false],
    ["one of its names", { resourceNames: ["db", "web"] }, {}, true],
    ["another name", { resourceNames: ["db"] }, {}, false],
    ["no name, but names some", { resourceNames: ["db"] }, { name: "" }, false],
    ["any name, without names", { resourceNames: [] }, { name: "" }, true],
    ["a path", { nonResourceURLs: ["*"] }, { isResourceRequest: false, path: "/apis" }, true],
    ["a path, but names none", {}, { isResourceRequest: false, path: "/apis" }, false],
  ])("requested for %s", (_what, more, asked, allowed) => {
    expect(ruleAllows(rule(more), attributes(asked))).toBe(allowed);
  });

  it("applies only to resources, unless it says otherwise", () => {
    expect(ruleAllows({ verbs: ["get"], apiGroups: ["apps"] }, attributes({}))).toBe(false);
    expect(ruleAllows({ verbs: ["get"], resources: ["deployments"] }, attributes({}))).toBe(false);
    expect(ruleAllows(url("*"), attributes({ path: "/apis" }))).toBe(false);
  });
});

it.each<[string, string, boolean]>([
  ["/healthz", "/healthz", true],
  ["/healthz", "/healthz/etcd", false],
  ["/healthz/*", "/healthz/etcd", true],
  ["/healthz/*", "/healthz", false],
  ["/healthz*", "/healthz", true],
  ["*", "/", true],
  ["*/etcd", "/healthz/etcd", false],
])("a rule for the path %s, requested for %s", (pattern, path, allowed) => {
  expect(ruleAllows(url("/version", pattern), attributes({ isResourceRequest: false, path }))).toBe(allowed);
});

it("a rule for paths applies to its verbs", () => {
  expect(ruleAllows(url("*"), attributes({ isResourceRequest: false, path: "/", verb: "post" }))).toBe(false);
});

describe("the rules of several modes", () => {
  const user = { name: "jane", groups: [] };
  const some = async () => ({ rules: [rule()], incomplete: false, error: "role missing" });

  it("are combined, and complete if each is", async () => {
    const all = (await allRules(user, "default")).rules;
    expect(await unionRuleResolver([some, allRules, noRules])(user, "default")).toEqual({
      rules: [rule(), ...all],
      incomplete: false,
      error: "role missing",
    });
    expect(await unionRuleResolver([noRules])(user, "default")).toEqual({ rules: [], incomplete: false });
  });

  it("are incomplete if one is, with every error", async () => {
    expect(await unionRuleResolver([some, unlistedRules("asks a webhook")])(user, "default")).toEqual({
      rules: [rule()],
      incomplete: true,
      error: "[role missing, asks a webhook]",
    });
  });

  it("are two for a user who may do everything", () => {
    const everything = [attributes({}), attributes({ isResourceRequest: false, path: "/metrics", verb: "post" })];
    return allRules(user, "").then(({ rules, incomplete }) => {
      expect(everything.map((each) => rules.map((one) => ruleAllows(one, each)))).toEqual([
        [true, false],
        [false, true],
      ]);
      expect(incomplete).toBe(false);
    });
  });
});
