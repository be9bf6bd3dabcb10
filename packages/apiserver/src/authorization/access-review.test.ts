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

it("includes all non-empty attributes of user and request for a resource", () => {
  expect(accessReviewSpec(attributes, "v1")).toStrictEqual({
    resourceAttributes: { namespace: "default", verb: "list", version: "v1", resource: "pods" },
    user: "jane",
    groups: ["dev"],
    extra: { scopes: ["read"] },
    uid: "u-1",
  });
});

it("includes a path", () => {
  const request = { ...attributes, isResourceRequest: false, path: "/metrics", verb: "get" };
  expect(accessReviewSpec({ ...request, user: { name: "", groups: [], extra: {} } }, "v1")).toStrictEqual({
    nonResourceAttributes: { path: "/metrics", verb: "get" },
  });
});

it("names the groups according to the version", () => {
  expect(accessReviewSpec(attributes, "v1beta1")).toMatchObject({ group: ["dev"] });
  expect(accessReviewSpec(attributes, "v1beta1")).not.toHaveProperty("groups");
});

it("includes the selectors of a list", () => {
  const requirement = { key: "app", operator: "In", values: ["web"] } as const;
  const limited = { ...attributes, labelSelector: [requirement], fieldSelector: [] };
  expect(accessReviewSpec(limited, "v1")).toMatchObject({
    resourceAttributes: { labelSelector: { requirements: [requirement] } },
  });
  expect(accessReviewSpec(limited, "v1").resourceAttributes).not.toHaveProperty("fieldSelector");
});
