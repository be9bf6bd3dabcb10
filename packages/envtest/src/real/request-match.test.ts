import { expect, it } from "vitest";
import { infoOf, isMatch } from "./request-match.ts";

it.each([
  ["GET", "/api/v1/pods", { verb: "list", group: "", resource: "pods", subresource: "" }],
  ["GET", "/api/v1/namespaces/web/pods?watch=true", { verb: "watch", group: "", resource: "pods", subresource: "" }],
  ["GET", "/api/v1/namespaces/web", { verb: "get", group: "", resource: "namespaces", subresource: "" }],
  [
    "PUT",
    "/api/v1/namespaces/web/status",
    { verb: "update", group: "", resource: "namespaces", subresource: "status" },
  ],
  [
    "PATCH",
    "/apis/apps/v1/namespaces/web/deployments/d/scale",
    { verb: "patch", group: "apps", resource: "deployments", subresource: "scale" },
  ],
  [
    "POST",
    "/apis/apps/v1/namespaces/web/deployments",
    { verb: "create", group: "apps", resource: "deployments", subresource: "" },
  ],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/web/deployments",
    { verb: "deletecollection", group: "apps", resource: "deployments", subresource: "" },
  ],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/web/deployments/d",
    { verb: "delete", group: "apps", resource: "deployments", subresource: "" },
  ],
  ["GET", "/api/v1/watch/namespaces/web/pods", { verb: "watch", group: "", resource: "pods", subresource: "" }],
  ["GET", "/api/v1/pods?watch=yes", { verb: "watch", group: "", resource: "pods", subresource: "" }],
  ["GET", "/api/v1/namespaces/web/pods/p?watch=true", { verb: "get", group: "", resource: "pods", subresource: "" }],
  ["HEAD", "/api/v1/namespaces/web/pods/p", { verb: "get", group: "", resource: "pods", subresource: "" }],
  ["GET", "/healthz", { verb: "get", isResourceRequest: false, resource: "" }],
] as const)("reads %s %s", (method, url, info) => {
  expect(infoOf(method, url)).toMatchObject(info);
});

it("matches by kind, verb and subresource", () => {
  const info = infoOf("PATCH", "/apis/apps/v1/namespaces/web/deployments/d/scale");
  const kind = { group: "apps", version: "v1", kind: "Deployment" };

  expect(isMatch(info, {})).toBe(true);
  expect(isMatch(info, { kind, verb: "patch", subResource: "scale" })).toBe(true);
  expect(isMatch(info, { kind: { ...kind, kind: "DaemonSet" } })).toBe(false);
  expect(isMatch(info, { subResource: "" })).toBe(false);
  expect(isMatch(info, { verb: "update" })).toBe(false);
});
