import { type Logger, silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { refusalLog, refuserOf, requestedAccess } from "./refusals.ts";

it.each([
  ["authorizer", 'pods "b" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "a"'],
  ["authorizer", 'forbidden: User "jane" cannot get path "/metrics"'],
  ["authorizer", 'configmaps "made" is forbidden: '], // an apply of a new object without `create`, up to Kubernetes 1.31
  ["more", 'roles "b" is forbidden: user "jane" is attempting to grant RBAC permissions not currently held:'],
  ["admission", 'pods "b" is forbidden: exceeded quota: few, requested: pods=1'],
  ["admission", 'admission webhook "guard.example.com" denied the request: you cannot do that'],
] as const)("is refused by the %s: %s", (refuser, message) => {
  expect(refuserOf(message)).toBe(refuser);
});

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

it("logs each missing rule once", () => {
  const logged: unknown[] = [];
  const logger: Logger = Object.assign(Object.create(silentLogger), {
    warn: ({ rule }: { rule: string }) => void logged.push(rule),
  });
  const observer = refusalLog(logger);
  const refuse = (
    path: string,
    message = 'secrets "b" is forbidden: User "jane" cannot get resource "secrets" in …',
  ): void => observer.forbidden?.({ method: "GET", path, host: "127.0.0.1", message });
  refuse("/api/v1/namespaces/a/secrets/b");
  refuse("/api/v1/namespaces/a/secrets/c");
  refuse("/apis/apps/v1/deployments?watch=true");
  refuse("/metrics", 'forbidden: User "jane" cannot get path "/metrics"');
  expect(logged).toEqual([
    '- apiGroups: [""]\n  resources: ["secrets"]\n  verbs: ["get"]\n',
    '- apiGroups: ["apps"]\n  resources: ["deployments"]\n  verbs: ["watch"]\n',
  ]);
});

it("logs at most a thousand rules, so that arbitrary paths do not stay in memory", () => {
  let warnings = 0;
  const logger: Logger = Object.assign(Object.create(silentLogger), { warn: () => void warnings++ });
  const observer = refusalLog(logger);
  for (let at = 0; at < 1_500; at++)
    observer.forbidden?.({
      method: "GET",
      path: `/api/v1/k${at}`,
      host: "a",
      message: 'k is forbidden: User "jane" cannot get resource "k" in …',
    });
  expect(warnings).toBe(1_000);
});

it.each([
  'pods "b" is forbidden: exceeded quota: few, requested: pods=1, used: pods=4, limited: pods=4',
  'configmaps "b" is forbidden: unable to create new content in namespace a because it is being terminated',
  'admission webhook "guard.example.com" denied the request: not today',
  'rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "jane" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:',
])("does not report a missing rule for other refusals: %s", (message) => {
  const logger: Logger = Object.assign(Object.create(silentLogger), {
    warn: () => expect.unreachable(),
  });
  refusalLog(logger).forbidden?.({ method: "POST", path: "/api/v1/namespaces/a/pods", host: "127.0.0.1", message });
});
