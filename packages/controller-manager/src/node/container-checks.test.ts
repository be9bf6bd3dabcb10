import type { Pod } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { checkSubPaths } from "./container-checks.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", annotations: { inside: "mine" } },
  spec: { containers: [] },
};
const env = [
  { name: "UP", value: ".." },
  { name: "TMP", value: "/tmp" },
  { name: "NOTE", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['none']" } } },
  { name: "INSIDE", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['inside']" } } },
  { name: "ELSEWHERE", valueFrom: { configMapKeyRef: { name: "a", key: "b" } } },
];
const check =
  (subPathExpr: string, more: object = {}) =>
  () =>
    checkSubPaths(pod, { name: "main", env, volumeMounts: [{ name: "v", mountPath: "/v", subPathExpr }], ...more });

it.each([
  ["$(TMP)", "error SubPath `/tmp` must not be an absolute path"],
  ["$(NOTE)/$(INSIDE)", "error SubPath `/mine` must not be an absolute path"],
  ["$(UP)", "unable to provision SubPath `..`: must not contain '..'"],
  ["a/$(UP)/b", "unable to provision SubPath `a/../b`: must not contain '..'"],
  ["$(NOBODY)", 'missing value for "NOBODY"'],
])("does not start a container whose subPathExpr %s points outside its volume or nowhere", (expression, message) => {
  expect(check(expression)).toThrow(message);
});

it.each(["$(INSIDE)/b", "a..b", "$$(NOBODY)", "$(ELSEWHERE)"])(
  "starts a container with the subPathExpr %s",
  (expression) => {
    expect(check(expression)).not.toThrow();
  },
);

it("accepts a variable that may come from elsewhere", () => {
  expect(check("$(NOBODY)", { envFrom: [{ configMapRef: { name: "a" } }] })).not.toThrow();
});
