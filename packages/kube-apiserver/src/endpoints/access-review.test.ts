import type {
  AuthorizationAttributes,
  AuthorizationDecision,
  SelectorRequirement,
} from "@kubewright/apiserver/authorization";
import { expect, it } from "vitest";
import { type AccessQuestion, reviewAccess, subjectOf } from "./access-review.ts";

const user = { name: "jane", groups: ["dev"] };
const pods = { verb: "list", resource: "pods" };

/** Returns the authorizer's input with the review's status, or the error messages. */
async function reviewed(
  spec: Record<string, unknown>,
  more: Partial<AccessQuestion> = {},
  answer: AuthorizationDecision["decision"] = "allow",
) {
  const asked: AuthorizationAttributes[] = [];
  const authorize = async (attributes: AuthorizationAttributes) => {
    asked.push(attributes);
    return { decision: answer };
  };
  const read = (text: string): readonly SelectorRequirement[] | undefined =>
    text === "broken" ? undefined : [{ key: text, operator: "Exists" }];
  try {
    const status = await reviewAccess({ spec, metadata: { name: "" }, user, ...more }, authorize, {
      fields: read,
      labels: read,
    });
    return { status, asked: asked[0] };
  } catch (error) {
    return { message: error instanceof Error ? error.message : "", asked: asked[0] };
  }
}

it.each<[string, Record<string, unknown>, Partial<AccessQuestion>, string]>([
  ["about nothing", {}, {}, "exactly one of nonResourceAttributes or resourceAttributes must be specified"],
  [
    "about both",
    { resourceAttributes: pods, nonResourceAttributes: { path: "/x", verb: "get" } },
    {},
    'spec: Invalid value: {"Path":"/x","Verb":"get"}: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  ],
  [
    "without a user",
    { resourceAttributes: pods },
    { user: undefined },
    "at least one of user or group must be specified",
  ],
  ["with a name", { resourceAttributes: pods }, { metadata: { name: "x" } }, "must be empty"],
  ["with labels", { resourceAttributes: pods }, { metadata: { name: "", labels: { a: "b" } } }, "must be empty"],
  [
    "about another namespace",
    { resourceAttributes: { ...pods, namespace: "b" } },
    { onlyNamespace: "a" },
    'spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace',
  ],
  [
    "without the required namespace",
    { resourceAttributes: pods },
    { onlyNamespace: "a" },
    'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace',
  ],
  [
    "about a path instead of a namespace",
    { nonResourceAttributes: { path: "/x", verb: "get" } },
    { onlyNamespace: "a" },
    "disallowed on this kind of request",
  ],
])("authorizes nothing in a review %s", async (_what, spec, more, message) => {
  const { message: problem, asked } = await reviewed(spec, more);
  expect(problem).toContain(message);
  expect(asked).toBeUndefined();
});

const selector = (member: "fieldSelector" | "labelSelector", value: unknown) => ({
  resourceAttributes: { ...pods, [member]: value },
});
const requirement = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });

it.each<[string, Record<string, unknown>, string]>([
  ["empty", selector("labelSelector", {}), "requirements or rawSelector is required"],
  [
    "given twice",
    selector("fieldSelector", { rawSelector: "a", requirements: [requirement("a", "In", "b")] }),
    'fieldSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements',
  ],
  [
    "without key",
    selector("labelSelector", { requirements: [requirement("", "Exists")] }),
    "spec.resourceAttributes.labelSelector.requirements[0].key: Required value: must be specified",
  ],
  [
    "In nothing",
    selector("labelSelector", { requirements: [requirement("a", "In")] }),
    "requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    "In without a list",
    selector("labelSelector", { requirements: [{ key: "a", operator: "In", values: "b" }] }),
    "requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    "NotIn nothing",
    selector("fieldSelector", { requirements: [requirement("a", "In", "b"), requirement("a", "NotIn")] }),
    "requirements[1].values: Required value",
  ],
  [
    "Exists with values",
    selector("labelSelector", { requirements: [requirement("a", "Exists", "b")] }),
    "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
  ],
  [
    "DoesNotExist with values",
    selector("labelSelector", { requirements: [requirement("a", "DoesNotExist", "b")] }),
    "values: Forbidden",
  ],
  [
    "with an invalid label key",
    selector("labelSelector", { requirements: [requirement("a b", "In", "c")] }),
    'labelSelector.requirements[0].key: Invalid value: "a b"',
  ],
  [
    "with an invalid label value",
    selector("labelSelector", { requirements: [requirement("a", "In", "c", "d e")] }),
    'labelSelector.requirements[0].values[1]: Invalid value: "d e"',
  ],
])("rejects a selector %s", async (_what, spec, message) => {
  const { message: problem, asked } = await reviewed(spec);
  expect(problem).toContain(message);
  expect(asked).toBeUndefined();
});

it("accepts any name in a field selector", async () => {
  const { asked } = await reviewed(selector("fieldSelector", { requirements: [requirement("a b", "In", "c d")] }));
  expect(asked?.fieldSelector).toEqual([{ key: "a b", operator: "In", values: ["c d"] }]);
});

it.each<[string, Record<string, unknown>, readonly unknown[] | undefined, string | undefined]>([
  ["text", selector("labelSelector", { rawSelector: "a" }), [{ key: "a", operator: "Exists" }], undefined],
  [
    "text that cannot be read",
    selector("labelSelector", { rawSelector: "broken" }),
    undefined,
    "spec.resourceAttributes.labelSelector ignored due to parse error",
  ],
  [
    "requirements",
    selector("labelSelector", { requirements: [requirement("a", "NotIn", "b", "c"), requirement("d", "Exists")] }),
    [
      { key: "a", operator: "NotIn", values: ["b", "c"] },
      { key: "d", operator: "Exists" },
    ],
    undefined,
  ],
  [
    "requirements of which one is not known",
    selector("labelSelector", { requirements: [requirement("a", "Gt", "1"), requirement("d", "DoesNotExist")] }),
    [{ key: "d", operator: "DoesNotExist" }],
    "spec.resourceAttributes.labelSelector partially ignored due to parse error",
  ],
])("passes a selector of %s to the authorizer, and reports the rest", async (_what, spec, passed, problem) => {
  const { status, asked } = await reviewed(spec);
  expect(asked?.labelSelector).toEqual(passed);
  expect(asked).not.toHaveProperty("fieldSelector");
  expect(status).toEqual({ allowed: true, ...(problem ? { evaluationError: problem } : {}) });
});

it.each([
  ["several values", requirement("a", "In", "b", "c")],
  ["whether it is there", requirement("a", "Exists")],
  ["whether it is not", requirement("a", "DoesNotExist")],
])("does not pass fields %s", async (_what, one) => {
  const { status, asked } = await reviewed(selector("fieldSelector", { requirements: [one] }));
  expect(asked).not.toHaveProperty("fieldSelector");
  expect(status).toEqual({
    allowed: true,
    evaluationError: "spec.resourceAttributes.fieldSelector ignored due to parse error",
  });
});

it("authorizes a resource in any version, and a path without one", async () => {
  const about = { group: "apps", resource: "deployments", subresource: "scale", namespace: "a", name: "b" };
  const resource = await reviewed({ resourceAttributes: { verb: "get", ...about } }, { onlyNamespace: "a" });
  expect(resource.asked).toEqual({ isResourceRequest: true, verb: "get", path: "", version: "*", user, ...about });
  const versioned = await reviewed({ resourceAttributes: { ...pods, version: "v1", path: 5 } });
  expect(versioned.asked).toMatchObject({ version: "v1", path: "" });
  const path = await reviewed({ nonResourceAttributes: { verb: "get", path: "/metrics" } });
  expect(path.asked).toMatchObject({ isResourceRequest: false, verb: "get", path: "/metrics", version: "" });
});

it("distinguishes a denial from no opinion, with the authorizer's other output", async () => {
  const spec = { resourceAttributes: pods };
  expect((await reviewed(spec, {}, "deny")).status).toEqual({ allowed: false, denied: true });
  expect((await reviewed(spec, {}, "no opinion")).status).toEqual({ allowed: false });
  const readers = { fields: () => undefined, labels: () => undefined };
  const authorize = async () => ({ decision: "no opinion", reason: "because", error: "no such role" }) as const;
  const broken = selector("fieldSelector", { rawSelector: "broken" });
  expect(await reviewAccess({ spec: broken, metadata: { name: "" }, user }, authorize, readers)).toEqual({
    allowed: false,
    reason: "because",
    evaluationError: "no such role; spec.resourceAttributes.fieldSelector ignored due to parse error",
  });
});

it.each([
  [{}, undefined],
  [{ user: "", groups: [] }, undefined],
  [{ user: 5, groups: "dev" }, undefined],
  [{ user: "jane" }, { name: "jane", groups: [] }],
  [{ groups: ["dev", 5] }, { name: "", groups: ["dev"] }],
  [
    { user: "jane", uid: "", extra: {} },
    { name: "jane", groups: [] },
  ],
  [
    { user: "jane", uid: "7", extra: { scopes: ["a", 5, "b"] } },
    { name: "jane", groups: [], uid: "7", extra: { scopes: ["a", "b"] } },
  ],
])("finds the user of the review %j", (spec, expected) => {
  expect(subjectOf(spec)).toEqual(expected);
});
