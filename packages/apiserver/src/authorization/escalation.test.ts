import { describe, expect, it } from "vitest";
import { escalationRefusal } from "./escalation.ts";
import type { RbacRule } from "./rules.ts";

const jane = { name: "jane", groups: ["dev", "system:authenticated"] };
const on = (apiGroups: string, resources: string, verbs: string, resourceNames?: string): RbacRule => ({
  verbs: verbs.split(" "),
  apiGroups: apiGroups.split(" "),
  resources: resources.split(" "),
  ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.split(" ").filter(Boolean) }),
});
const urls = (paths: string, verbs: string): RbacRule => ({
  verbs: verbs.split(" "),
  nonResourceURLs: paths.split(" "),
});
const missing = (held: readonly RbacRule[], granted: readonly RbacRule[]): readonly string[] =>
  escalationRefusal(jane, { rules: held }, granted)?.split("\n").slice(1) ?? [];

it("compares paths of many stars quickly", () => {
  const path = `/${"*".repeat(60_000)}x`;
  const start = performance.now();
  expect(missing([urls(`${path}*`, "*")], [urls(`${path}/y`, "get")])).toEqual([]);
  expect(performance.now() - start).toBeLessThan(3_000);
});

/** @see component-helpers auth/rbac/validation policy_comparator_test.go */
describe("a user with rules may grant what they cover", () => {
  const both = "builds deployments";
  it.each<[string, RbacRule[], RbacRule[], string[]]>([
    ["exact match", [on("v1", "builds", "get")], [on("v1", "builds", "get")], []],
    ["subresource wildcard", [on("v1", "*/scale", "get")], [on("v1", "foo/scale", "get")], []],
    [
      "a subresource wildcard and the resource itself",
      [on("v1", "*/scale", "get")],
      [on("v1", "foo", "get")],
      ['{APIGroups:["v1"], Resources:["foo"], Verbs:["get"]}'],
    ],
    [
      "a subresource wildcard and another subresource",
      [on("v1", "*/scale", "get")],
      [on("v1", "foo/status", "get")],
      ['{APIGroups:["v1"], Resources:["foo/status"], Verbs:["get"]}'],
    ],
    [
      "multiple rules covering single rule",
      [on("v1", "deployments", "delete"), on("v1", "builds", "delete"), on("v1", both, "update")],
      [on("v1", both, "delete update")],
      [],
    ],
    [
      "single API groups covering multiple",
      [on("group1 group2", both, "delete update")],
      [on("group1", "deployments", "delete"), on("group2", both, "update")],
      [],
    ],
    [
      "missing single verb resource combination",
      [on("v1", both, "delete update"), on("v1", "pods", "delete")],
      [on("v1", `${both} pods`, "delete update")],
      ['{APIGroups:["v1"], Resources:["pods"], Verbs:["update"]}'],
    ],
    ["API group star covering multiple", [on("*", "roles", "get")], [on("group1 group2", "roles", "get")], []],
    [
      "enumeration not covering API group star",
      [on("dummy-group", "roles", "get")],
      [on("*", "roles", "get")],
      ['{APIGroups:["*"], Resources:["roles"], Verbs:["get"]}'],
    ],
    ["API group star covering star", [on("*", "roles", "get")], [on("*", "roles", "get")], []],
    ["verb star covering multiple", [on("v1", "roles", "*")], [on("v1", "roles", "watch list")], []],
    [
      "enumeration not covering verb star",
      [on("v1", "roles", "get list watch create update delete exec")],
      [on("v1", "roles", "*")],
      ['{APIGroups:["v1"], Resources:["roles"], Verbs:["*"]}'],
    ],
    ["resource star covering multiple", [on("v1", "*", "get")], [on("v1", "resourcegroup:deployments", "get")], []],
    [
      "enumeration not covering resource star",
      [on("v1", "roles", "get")],
      [on("v1", "*", "get")],
      ['{APIGroups:["v1"], Resources:["*"], Verbs:["get"]}'],
    ],
    ["resource name empty covering multiple", [on("v1", "pods", "get", "")], [on("v1", "pods", "get", "foo bar")], []],
    [
      "enumeration not covering resource name empty",
      [on("v1", "pods", "get", "foo bar")],
      [on("v1", "pods", "get", "")],
      ['{APIGroups:["v1"], Resources:["pods"], Verbs:["get"]}'],
    ],
    [
      "one name and another",
      [on("v1", "pods", "get", "foo")],
      [on("v1", "pods", "get", "foo bar")],
      ['{APIGroups:["v1"], Resources:["pods"], ResourceNames:["bar"], Verbs:["get"]}'],
    ],
    ["non resource URLs", [urls("/apis", "*")], [urls("/apis", "*")], []],
    ["non resource URLs star", [urls("*", "*")], [urls("/apis /apis/v1 /", "*")], []],
    [
      "non resource URLs star after prefix doesn't cover",
      [urls("/apis/*", "*")],
      [urls("/apis /apis/v1", "get")],
      ['{NonResourceURLs:["/apis"], Verbs:["get"]}'],
    ],
    ["non resource URLs star after prefix", [urls("/apis/*", "*")], [urls("/apis/v1/foo /apis/v1", "get")], []],
    [
      "non resource URLs star after prefix, and the same with a star",
      [urls("/apis/*", "*")],
      [urls("/apis/v1/*", "get")],
      [],
    ],
    [
      "a path without a star",
      [urls("/apis", "*")],
      [urls("/apis/v1", "get")],
      ['{NonResourceURLs:["/apis"], Verbs:["get"]}'.replace("/apis", "/apis/v1")],
    ],
    [
      "non resource URLs with other fields",
      [{ ...on("v1", "builds", "get"), nonResourceURLs: ["/apis"] }],
      [{ ...on("v1", "builds", "get"), nonResourceURLs: ["/apis"] }],
      [],
    ],
    [
      "non resource URLs with other fields failure",
      [on("v1", "builds", "get")],
      [{ ...on("v1", "builds", "get"), nonResourceURLs: ["/apis"] }],
      ['{NonResourceURLs:["/apis"], Verbs:["get"]}'],
    ],
    [
      "paths and resources",
      [urls("/apis", "get")],
      [on("v1", "builds", "get")],
      ['{APIGroups:["v1"], Resources:["builds"], Verbs:["get"]}'],
    ],
    ["nothing", [], [], []],
  ])("%s", (_name, held, granted, uncovered) => {
    expect(missing(held, granted)).toEqual(uncovered);
  });
});

it("reports missing rules, the verbs of one resource together, sorted", () => {
  const granted = [on("", "secrets", "get list"), on("", "pods", "get", "b a"), urls("/metrics", "get")];
  expect(escalationRefusal(jane, { rules: [] }, granted)).toBe(
    [
      'user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ].join("\n"),
  );
});

it("reports own rules that could not be read", () => {
  const held = { rules: [], error: 'role.rbac.authorization.k8s.io "gone" not found' };
  expect(escalationRefusal(jane, held, [on("", "pods", "get")])).toMatch(
    /Verbs:\["get"\]\}; resolution errors: \[role\.rbac\.authorization\.k8s\.io "gone" not found\]$/,
  );
  expect(escalationRefusal(jane, held, [])).toBeUndefined();
});
