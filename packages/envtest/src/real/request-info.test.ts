import { expect, it } from "vitest";
import { isMatch, requestInfo } from "./request-info.ts";

it.each([
  ["GET", "/api/v1/pods", { verb: "list", group: "", resource: "pods", subResource: "" }],
  ["GET", "/api/v1/namespaces/web/pods?watch=true", { verb: "watch", group: "", resource: "pods", subResource: "" }],
  ["GET", "/api/v1/namespaces/web", { verb: "get", group: "", resource: "namespaces", subResource: "" }],
  [
    "PUT",
    "/api/v1/namespaces/web/status",
    { verb: "update", group: "", resource: "namespaces", subResource: "status" },
  ],
  [
    "PATCH",
    "/apis/apps/v1/namespaces/web/deployments/d/scale",
    { verb: "patch", group: "apps", resource: "deployments", subResource: "scale" },
  ],
  [
    "POST",
    "/apis/apps/v1/namespaces/web/deployments",
    { verb: "create", group: "apps", resource: "deployments", subResource: "" },
  ],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/web/deployments",
    { verb: "deletecollection", group: "apps", resource: "deployments", subResource: "" },
  ],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/web/deployments/d",
    { verb: "delete", group: "apps", resource: "deployments", subResource: "" },
  ],
] as const)("reads %s %s", (method, url, info) => {
  expect(requestInfo(method, url)).toEqual(info);
});

it("matches by kind, verb and subresource", () => {
  const info = requestInfo("PATCH", "/apis/apps/v1/namespaces/web/deployments/d/scale");
  const kind = { group: "apps", version: "v1", kind: "Deployment" };

  expect(isMatch(info, {})).toBe(true);
  expect(isMatch(info, { kind, verb: "patch", subResource: "scale" })).toBe(true);
  expect(isMatch(info, { kind: { ...kind, kind: "DaemonSet" } })).toBe(false);
  expect(isMatch(info, { subResource: "" })).toBe(false);
  expect(isMatch(info, { verb: "update" })).toBe(false);
});
