import { expect, it } from "vitest";
import { requestedAccess } from "./requested-access.ts";

const pods = { group: "", resource: "pods" };
const inWeb = { namespace: "web" };

it.each([
  ["GET", "/api/v1/pods", { ...pods, verb: "list" }],
  ["GET", "/api/v1/pods?watch=true", { ...pods, verb: "watch" }],
  ["GET", "/api/v1/pods?watch=1", { ...pods, verb: "watch" }],
  ["GET", "/api/v1/pods?watch=false", { ...pods, verb: "list" }],
  ["GET", "/api/v1/namespaces/web/pods", { ...pods, ...inWeb, verb: "list" }],
  ["GET", "/api/v1/namespaces/web/pods/a", { ...pods, ...inWeb, verb: "get", name: "a" }],
  ["GET", "/api/v1/namespaces/web/pods/a%2Fb", { ...pods, ...inWeb, verb: "get", name: "a/b" }],
  ["GET", "/api/v1/namespaces/web/pods/a/log", { group: "", resource: "pods/log", ...inWeb, verb: "get", name: "a" }],
  ["POST", "/api/v1/namespaces/web/pods", { ...pods, ...inWeb, verb: "create" }],
  [
    "POST",
    "/api/v1/namespaces/web/pods/a/eviction",
    { group: "", resource: "pods/eviction", ...inWeb, verb: "create" },
  ],
  ["PUT", "/api/v1/namespaces/web/pods/a", { ...pods, ...inWeb, verb: "update", name: "a" }],
  ["PATCH", "/api/v1/namespaces/web/pods/a", { ...pods, ...inWeb, verb: "patch", name: "a" }],
  ["DELETE", "/api/v1/namespaces/web/pods/a", { ...pods, ...inWeb, verb: "delete", name: "a" }],
  ["DELETE", "/api/v1/namespaces/web/pods", { ...pods, ...inWeb, verb: "deletecollection" }],
  ["HEAD", "/api/v1/pods", { ...pods, verb: "head" }],
  ["GET", "/api/v1/namespaces", { group: "", resource: "namespaces", verb: "list" }],
  ["GET", "/api/v1/namespaces/web", { group: "", resource: "namespaces", verb: "get", name: "web" }],
  ["PATCH", "/api/v1/namespaces/web/status", { group: "", resource: "namespaces/status", verb: "patch", name: "web" }],
  [
    "PUT",
    "/api/v1/namespaces/web/finalize",
    { group: "", resource: "namespaces/finalize", verb: "update", name: "web" },
  ],
  ["GET", "/api/v1/nodes/n", { group: "", resource: "nodes", verb: "get", name: "n" }],
  ["GET", "/apis/apps/v1/deployments", { group: "apps", resource: "deployments", verb: "list" }],
  [
    "PATCH",
    "/apis/apps/v1/namespaces/web/deployments/a/scale",
    { group: "apps", resource: "deployments/scale", ...inWeb, verb: "patch", name: "a" },
  ],
])("%s %s needs the corresponding permission", (method, path, access) => {
  expect(requestedAccess(method, path)).toEqual(access);
});

it.each([
  "/",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/metrics",
  "/version",
  "/openapi/v3",
  "/apix/v1/pods",
])("%s does not target a resource", (path) => {
  expect(requestedAccess("GET", path)).toBeUndefined();
});
