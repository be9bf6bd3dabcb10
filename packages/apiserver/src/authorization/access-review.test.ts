import { expect, it } from "vitest";
import { accessReviewSpec } from "./access-review.ts";
import type { AuthorizationAttributes } from "./authorizer.ts";

const attributes: AuthorizationAttributes = {
  user: { name: "jane", uid: "u-1", groups: ["dev"], extra: { scopes: ["read"] } },
  verb: "list",
  isResourceRequest: true,
  path: "/api/v1/namespaces/default/pods",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "default",
  name: "",
};

it("asks for a resource with all that is known of user and request, and nothing that is empty", () => {
  expect(accessReviewSpec(attributes, "v1")).toStrictEqual({
    resourceAttributes: { namespace: "default", verb: "list", version: "v1", resource: "pods" },
    user: "jane",
    groups: ["dev"],
    extra: { scopes: ["read"] },
    uid: "u-1",
  });
});

it("asks for a path", () => {
  const request = { ...attributes, isResourceRequest: false, path: "/metrics", verb: "get" };
  expect(accessReviewSpec({ ...request, user: { name: "", groups: [], extra: {} } }, "v1")).toStrictEqual({
    nonResourceAttributes: { path: "/metrics", verb: "get" },
  });
});

it("names the groups as the version does", () => {
  expect(accessReviewSpec(attributes, "v1beta1")).toMatchObject({ group: ["dev"] });
  expect(accessReviewSpec(attributes, "v1beta1")).not.toHaveProperty("groups");
});

it("says what a list is limited to", () => {
  const requirement = { key: "app", operator: "In", values: ["web"] } as const;
  const limited = { ...attributes, labelSelector: [requirement], fieldSelector: [] };
  expect(accessReviewSpec(limited, "v1")).toMatchObject({
    resourceAttributes: { labelSelector: { requirements: [requirement] } },
  });
  expect(accessReviewSpec(limited, "v1").resourceAttributes).not.toHaveProperty("fieldSelector");
});
