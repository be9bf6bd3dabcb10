import { expect, it } from "vitest";
import { admissionRequest, shownObject } from "./admission-request.ts";
import { attributesOf, labelled } from "./testing/attributes.ts";

const own = attributesOf();
const seen = {
  resource: { group: "apps", version: "v2", resource: "others" },
  kind: { group: "apps", version: "v2", kind: "Other" },
};

it("contains everything about a request, and the name by which the hook matched its resource", () => {
  const user = { name: "jane", uid: "u", groups: ["dev"], extra: { scopes: ["read"] } };
  const options = { kind: "CreateOptions" };
  expect(admissionRequest(attributesOf({ subresource: "scale", user, options, dryRun: true }), seen)).toStrictEqual({
    kind: seen.kind,
    resource: seen.resource,
    subResource: "scale",
    requestKind: own.kind,
    requestResource: own.resource,
    requestSubResource: "scale",
    name: "web",
    namespace: "default",
    operation: "CREATE",
    userInfo: { username: "jane", uid: "u", groups: ["dev"], extra: { scopes: ["read"] } },
    dryRun: true,
    options,
  });
});

it("omits empty fields", () => {
  const user = { name: "", uid: "", groups: [], extra: {} };
  expect(admissionRequest(attributesOf({ name: "", namespace: "", user }), own)).toStrictEqual({
    kind: own.kind,
    resource: own.resource,
    requestKind: own.kind,
    requestResource: own.resource,
    operation: "CREATE",
    userInfo: {},
    dryRun: false,
    options: null,
  });
});

it("shows objects as Go prints them, and those of unknown kinds unchanged", () => {
  expect(shownObject(undefined, own.kind)).toBeNull();
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [{ name: "c" }] } };
  expect(shownObject(pod, own.kind)).toMatchObject({
    spec: { containers: [{ name: "c", resources: {} }] },
    status: {},
  });
  const other = labelled();
  expect(shownObject(other, seen.kind)).toBe(other);
});
