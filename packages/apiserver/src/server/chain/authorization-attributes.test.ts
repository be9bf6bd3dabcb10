import { expect, it } from "vitest";
import type { ApiRequest } from "../../endpoints/request/api-request.ts";
import { requestInfo } from "../../endpoints/request/request-info.ts";
import { authorizationAttributes, readFieldSelector, readLabelSelector } from "./authorization-attributes.ts";

const user = { name: "jane", groups: ["dev"] };

function attributesOf(method: string, path: string, parameters: Record<string, string> = {}) {
  const query = new URLSearchParams(parameters);
  const request: Pick<ApiRequest, "user" | "info" | "query"> = { user, info: requestInfo(method, path, query), query };
  return authorizationAttributes(request as ApiRequest);
}

const pods = "/api/v1/namespaces/n/pods";
const one = "metadata.name=a";

it.each<[string, string, string, Record<string, string>, object]>([
  ["a get", "GET", `${pods}/a`, {}, { verb: "get", name: "a" }],
  ["a list", "GET", pods, {}, { verb: "list", name: "" }],
  ["a list of one", "GET", pods, { fieldSelector: one }, { verb: "list", name: "a" }],
  ["a watch of one", "GET", pods, { fieldSelector: one, watch: "1" }, { verb: "watch", name: "a" }],
  ["a list of one among others", "GET", pods, { fieldSelector: `spec.nodeName=b,${one}` }, { name: "a" }],
  ["a list of all but one", "GET", pods, { fieldSelector: "metadata.name!=a" }, { name: "" }],
  ["a list by another field", "GET", pods, { fieldSelector: "spec.nodeName=a" }, { name: "" }],
  ["a list with an invalid name", "GET", pods, { fieldSelector: "metadata.name=.." }, { name: "" }],
  ["a list with an invalid selector", "GET", pods, { fieldSelector: `${one},x` }, { name: "" }],
  ["a list of one with labels", "GET", pods, { fieldSelector: one, labelSelector: "x=y" }, { name: "a" }],
  ["a list of one with unreadable labels", "GET", pods, { fieldSelector: one, labelSelector: "!!" }, { name: "" }],
  ["a list of one, limited", "GET", pods, { fieldSelector: one, limit: "-5", timeoutSeconds: "+1" }, { name: "a" }],
  ["a list of one, with no limit", "GET", pods, { fieldSelector: one, limit: "x" }, { name: "" }],
  ["a list of one, with no time", "GET", pods, { fieldSelector: one, timeoutSeconds: "1s" }, { name: "" }],
  ["the end of all that is one", "DELETE", pods, { fieldSelector: one }, { verb: "deletecollection", name: "" }],
])("passes %s to authorizers", (_what, method, path, parameters, expected) => {
  expect(attributesOf(method, path, parameters)).toMatchObject({ user, resource: "pods", namespace: "n", ...expected });
});

it.each<[string, string, string, boolean]>([
  ["a list", "GET", pods, true],
  ["the end of a collection", "DELETE", pods, true],
  ["a get", "GET", `${pods}/a`, false],
  ["a create", "POST", pods, false],
  ["a watch whose verb is in the path", "GET", "/api/v1/watch/namespaces/n/pods", false],
])("passes selectors of %s, or not", (_what, method, path, isPassed) => {
  const attributes = attributesOf(method, path, { fieldSelector: "spec.nodeName=b", labelSelector: "x=y" });
  expect(attributes.fieldSelector).toEqual(
    isPassed ? [{ key: "spec.nodeName", operator: "In", values: ["b"] }] : undefined,
  );
  expect(attributes.labelSelector).toEqual(isPassed ? [{ key: "x", operator: "In", values: ["y"] }] : undefined);
});

it("passes no name for a list of one name with the verb in the path", () => {
  expect(attributesOf("GET", "/api/v1/watch/namespaces/n/pods", { fieldSelector: one }).name).toBe("");
});

it("omits selectors without a requirement", () => {
  const attributes = attributesOf("GET", pods, { fieldSelector: "", labelSelector: "x>1" });
  expect(attributes).not.toHaveProperty("fieldSelector");
  expect(attributes).not.toHaveProperty("labelSelector");
});

it("sorts a field selector", () => {
  expect(readFieldSelector("c=1,a!=3,b==2,a=0")).toEqual([
    { key: "a", operator: "NotIn", values: ["3"] },
    { key: "a", operator: "In", values: ["0"] },
    { key: "b", operator: "In", values: ["2"] },
    { key: "c", operator: "In", values: ["1"] },
  ]);
  expect(readFieldSelector("a")).toBeUndefined();
});

it.each<[string, unknown]>([
  ["a=1", [{ key: "a", operator: "In", values: ["1"] }]],
  ["a==1", [{ key: "a", operator: "In", values: ["1"] }]],
  ["a in (1,2)", [{ key: "a", operator: "In", values: ["1", "2"] }]],
  ["a!=1", [{ key: "a", operator: "NotIn", values: ["1"] }]],
  ["a notin (1)", [{ key: "a", operator: "NotIn", values: ["1"] }]],
  ["a", [{ key: "a", operator: "Exists" }]],
  ["!a", [{ key: "a", operator: "DoesNotExist" }]],
  ["a>1", []],
  ["a in", undefined],
])("a label selector %s", (text, requirements) => {
  expect(readLabelSelector(text)).toEqual(requirements);
});
