import { builtinSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import type { ServedResource } from "../../registry/resource.ts";
import { policyOf } from "../testing/policies.ts";
import type { NamedRule, PolicySpec } from "./policy-types.ts";
import { expressionWarnings } from "./type-checking.ts";

function served(group: string, version: string, resource: string, kind: string): ServedResource {
  return { group, version, resource, kind, schema: builtinSchema({ group, version, kind }) } as never;
}
const all = [
  served("", "v1", "configmaps", "ConfigMap"),
  served("", "v1", "pods", "Pod"),
  served("apps", "v1", "deployments", "Deployment"),
];
const rule = (group: string, version: string, ...resources: string[]): NamedRule => ({
  operations: ["*"],
  apiGroups: [group],
  apiVersions: [version],
  resources,
});
const check = (resourceRules: NamedRule[], expression: string, more: PolicySpec = {}) =>
  expressionWarnings(policyOf({ matchConstraints: { resourceRules }, validations: [{ expression }], ...more }), {
    all: () => all,
  });
const titles = (warnings: ReturnType<typeof check>): string[] =>
  warnings.flatMap(({ warning }) => warning.match(/^\S*\/\S+, Kind=\w+/gm) ?? []);

/** @see apiserver pkg/admission/plugin/policy/validating typechecking.go */
describe("expressions are checked", () => {
  it.each<[string, NamedRule[], string[]]>([
    ["for the kind of a rule", [rule("apps", "v1", "deployments")], ["apps/v1, Kind=Deployment"]],
    [
      "for all kinds of all rules, by their names",
      [rule("apps", "v1", "deployments"), rule("", "v1", "pods", "configmaps")],
      ["/v1, Kind=ConfigMap", "/v1, Kind=Pod", "apps/v1, Kind=Deployment"],
    ],
    ["for a kind once", [rule("", "v1", "pods"), rule("", "v1", "pods")], ["/v1, Kind=Pod"]],
    ["not for any version", [rule("", "*", "pods")], []],
    ["not for any group", [rule("*", "v1", "pods")], []],
    ["not for any resource", [rule("", "v1", "*")], []],
    ["not for a part", [rule("", "v1", "pods", "pods/status")], []],
    ["not for unserved kinds", [rule("", "v2", "pods")], []],
    ["not for another group", [rule("apps", "v1", "pods")], []],
    ["not without rules", [], []],
  ])("%s", (_what, rules, kinds) => {
    expect(titles(check(rules, "object.nothing == 1"))).toEqual(kinds);
  });

  it.each<[string, number]>([
    ["object.spec.replicas > 1", 0],
    ["object.spec.replicas > 'a'", 1],
    ["object.spec.replica > 1", 1],
    ["object.metadata.labels.a == 'b'", 0],
    ["object.metadata.lables.a == 'b'", 1],
    ["object.apiVersion == 'apps/v1' && object.kind == 'Deployment'", 0],
    ["object.spec.template.spec.containers.all(c, c.name != '')", 0],
    ["object.spec.template.spec.containers.all(c, c.nam != '')", 1],
    ["object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')", 0],
    ["params.data.a == 'b'", 1],
    ["authorizer.path('/x').check('get').allowed()", 0],
    ["oldObject == null || oldObject.spec.replicas == object.spec.replicas", 0],
    ["variables.n > 1", 1],
  ])("%s: %i", (expression, count) => {
    expect(check([rule("apps", "v1", "deployments")], expression)).toHaveLength(count);
  });

  it("name the expression and the message expression", () => {
    const validations = [
      { expression: "true" },
      { expression: "object.spec.x == 1", messageExpression: "object.spec.y" },
      { expression: "true", messageExpression: "" },
    ];
    const found = check([rule("apps", "v1", "deployments")], "", { validations });
    expect(found.map(({ fieldRef }) => fieldRef)).toEqual([
      "spec.validations[1].expression",
      "spec.validations[1].messageExpression",
    ]);
    expect(found[0]?.warning).toMatch(/^apps\/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'x'\n/);
  });

  it("with the types of parameters and variables", () => {
    const rules = [rule("apps", "v1", "deployments")];
    const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
    expect(check(rules, "params.data.a == 'b'", { paramKind })).toEqual([]);
    expect(check(rules, "params.dat.a == 'b'", { paramKind })).toHaveLength(1);
    expect(
      check(rules, "params.spec.replicas == 1", { paramKind: { apiVersion: "apps/v1", kind: "Deployment" } }),
    ).toEqual([]);
    expect(check(rules, "params.anything == 1", { paramKind: { apiVersion: "v1", kind: "Gone" } })).toEqual([]);
    const variables = [{ name: "n", expression: "object.spec.replicas" }];
    expect(check(rules, "variables.n > 1", { variables })).toEqual([]);
    expect(check(rules, "variables.n == 'a'", { variables })).toHaveLength(1);
  });

  it("for at most ten kinds", () => {
    const many = Array.from({ length: 11 }, (_, i) => ({ ...all[0], kind: `K${i}`, resource: `r${i}` }) as never);
    const names = Array.from({ length: 11 }, (_, i) => `r${i}`);
    const policy = policyOf({
      matchConstraints: { resourceRules: [rule("", "v1", ...names)] },
      validations: [{ expression: "object.nothing == 1" }],
    });
    expect(titles(expressionWarnings(policy, { all: () => many }))).toHaveLength(10);
  });
});
