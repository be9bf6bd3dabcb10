import { expect, it } from "vitest";
import { callOf, callText } from "./api-call.ts";

it.each([
  ["GET", "/api/v1/namespaces/default/pods?watch=true", "watch pods default"],
  ["GET", "/api/v1/namespaces/default", "get namespaces default"],
  ["PATCH", "/apis/apps/v1/namespaces/a/deployments/b%2Fc/status", "patch deployments.apps/status a/b/c"],
  ["DELETE", "/api/v1/namespaces/a/pods", "deletecollection pods a"],
  ["constructor", "/api/v1/pods", "get pods"],
])("reads %s %s", (method, path, text) => {
  const call = callOf({ method, path });
  expect(call && callText(call)).toBe(text);
});

it.each(["/version", "/api/v1", "/api/v1/pods/%zz"])("leaves %s to the API server", (path) => {
  expect(callOf({ method: "GET", path })).toBeUndefined();
});
