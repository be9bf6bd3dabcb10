import { describe, expect, it } from "vitest";
import type { AuthorizationAttributes } from "./authorizer.ts";
import { compileMatchCondition, meetsConditions } from "./match-conditions.ts";

const requirement = { key: "app", operator: "In", values: ["web"] } as const;
const onResource: AuthorizationAttributes = {
  user: { name: "jane", uid: "u-1", groups: ["dev"], extra: { scopes: ["read"] } },
  verb: "list",
  isResourceRequest: true,
  path: "",
  group: "apps",
  version: "v1",
  resource: "deployments",
  subresource: "scale",
  namespace: "default",
  name: "web",
  labelSelector: [requirement],
};
const onPath: AuthorizationAttributes = {
  ...onResource,
  user: { name: "jane", groups: [] },
  isResourceRequest: false,
  path: "/metrics",
  verb: "get",
};
const meets = (attributes: AuthorizationAttributes, ...expressions: string[]): boolean =>
  meetsConditions(expressions.map(compileMatchCondition), attributes);

describe("a condition sees", () => {
  it.each([
    ["request.user == 'jane' && request.uid == 'u-1' && request.groups == ['dev']"],
    ["request.extra['scopes'] == ['read']"],
    ["request.resourceAttributes.verb == 'list' && request.resourceAttributes.group == 'apps'"],
    ["request.resourceAttributes.version == 'v1' && request.resourceAttributes.resource == 'deployments'"],
    ["request.resourceAttributes.subresource == 'scale' && request.resourceAttributes.name == 'web'"],
    ["request.resourceAttributes.namespace == 'default'"],
    ["request.resourceAttributes.labelSelector.requirements[0].key == 'app'"],
    ["request.resourceAttributes.labelSelector.requirements[0].values == ['web']"],
    ["!has(request.resourceAttributes.fieldSelector) && !has(request.nonResourceAttributes)"],
  ])("of a resource: %s", (expression) => {
    expect(meets(onResource, expression)).toBe(true);
  });

  it.each([
    ["request.nonResourceAttributes.path == '/metrics' && request.nonResourceAttributes.verb == 'get'"],
    ["!has(request.resourceAttributes)"],
    ["request.uid == '' && request.groups.size() == 0 && request.extra.size() == 0"],
  ])("of a path: %s", (expression) => {
    expect(meets(onPath, expression)).toBe(true);
  });

  it("no selector if the request has none", () => {
    expect(meets({ ...onResource, labelSelector: [] }, "has(request.resourceAttributes.labelSelector)")).toBe(false);
    expect(
      meets({ ...onResource, fieldSelector: [requirement] }, "has(request.resourceAttributes.fieldSelector)"),
    ).toBe(true);
  });
});

describe("several conditions", () => {
  const fails = "request.extra['none'].size() > 0";
  const problem = `cel evaluation error: expression '${fails}' resulted in error: no such key: none`;

  it("must all hold, and none always holds", () => {
    expect(meets(onResource)).toBe(true);
    expect(meets(onResource, "true", "request.user == 'jane'")).toBe(true);
    expect(meets(onResource, "true", "request.user == 'carl'")).toBe(false);
  });

  it("do not hold if one is false, whatever the others are", () => {
    expect(meets(onResource, fails, "false")).toBe(false);
    expect(meets(onResource, "false", fails)).toBe(false);
  });

  it("otherwise fail with every error", () => {
    expect(() => meets(onResource, "true", fails)).toThrow(new Error(problem));
    expect(() => meets(onResource, fails, "true", fails)).toThrow(new Error(`[${problem}, ${problem}]`));
  });
});

it.each([
  ["request.user", "must evaluate to bool"],
  ["request.nobody == 'jane'", "compilation failed: ERROR: <input>:1:"],
  ["1 +", "compilation failed: ERROR: <input>:1:"],
])("rejects %s", (expression, message) => {
  expect(() => compileMatchCondition(expression)).toThrow(message);
});
