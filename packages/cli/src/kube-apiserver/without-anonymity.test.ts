import type { ApiServerOptions } from "@kubewright/kube-apiserver";
import { expect, it } from "vitest";
import { withoutAnonymity } from "./without-anonymity.ts";

it.each<[Pick<ApiServerOptions, "authentication" | "authorization">, false | undefined]>([
  [{}, false],
  [{ authorization: ["AlwaysAllow"] }, false],
  [{ authorization: { authorizationModes: ["RBAC", "AlwaysAllow"] } }, false],
  [{ authorization: {} }, false],
  [{ authorization: ["Node", "RBAC"] }, undefined],
  [{ authorization: { authorizationModes: ["RBAC"] } }, undefined],
  [{ authorization: { authorizationConfig: "file" } }, undefined],
])("with %j, disables anonymous requests if all requests are authorized", (options, anonymousAuth) => {
  const warnings: string[] = [];
  const result = withoutAnonymity(options, (text) => warnings.push(text));
  expect([result.authentication?.anonymousAuth, warnings.length]).toEqual([
    anonymousAuth,
    anonymousAuth === false ? 1 : 0,
  ]);
});
