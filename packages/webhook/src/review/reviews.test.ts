import { expect, it } from "vitest";
import { authenticated, reviewResponse, tokenErrored, unauthenticated } from "../authentication/token-response.ts";
import { readTokenReview, writeTokenReview } from "../authentication/token-review.ts";
import { readAdmissionReview, writeAdmissionReview } from "./admission-review.ts";

const admission = (request: unknown, more: object = {}) =>
  readAdmissionReview(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request, ...more }));
const token = (review: object) =>
  readTokenReview(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", ...review }));

const gvk = { group: "g", version: "v1", kind: "K" };
const gvr = { group: "g", version: "v1", resource: "ks" };
const whole = {
  uid: "7",
  kind: gvk,
  resource: gvr,
  subResource: "status",
  requestKind: { ...gvk, version: "v2" },
  requestResource: { ...gvr, version: "v2" },
  requestSubResource: "scale",
  name: "a",
  namespace: "b",
  operation: "UPDATE",
  userInfo: { username: "jane", uid: "8", groups: ["dev"], extra: { scopes: ["x"] } },
  object: { a: 1 },
  oldObject: { a: 2 },
  dryRun: true,
  options: { fieldManager: "m" },
};

it("reads all fields of an admission request", () => {
  expect(admission(whole)).toEqual({ apiVersion: "admission.k8s.io/v1", request: whole });
});

it("treats absent and null fields as empty", () => {
  const empty = {
    uid: "",
    kind: { group: "", version: "", kind: "" },
    resource: { group: "", version: "", resource: "" },
    subResource: "",
    requestSubResource: "",
    name: "",
    namespace: "",
    operation: "",
    userInfo: { username: "", uid: "", groups: [], extra: {} },
    dryRun: false,
  };
  for (const request of [{}, undefined, null, { uid: null, object: null, userInfo: null, dryRun: null }])
    expect(admission(request).request).toEqual({
      ...empty,
      object: undefined,
      oldObject: undefined,
      options: undefined,
    });
});

it.each<[object, string]>([
  [{ uid: 7 }, "request.uid: expected a string, got a number"],
  [{ operation: ["CREATE"] }, "request.operation: expected a string, got a list"],
  [{ dryRun: "true" }, "request.dryRun: expected a boolean, got a string"],
  [{ object: "x" }, "request.object: expected an object, got a string"],
  [{ oldObject: [] }, "request.oldObject: expected an object, got a list"],
  [{ kind: { group: {} } }, "request.kind.group: expected a string, got an object"],
  [{ kind: { version: 1 } }, "request.kind.version: expected a string, got a number"],
  [{ resource: { resource: 1 } }, "request.resource.resource: expected a string, got a number"],
  [{ requestKind: { kind: 1 } }, "request.requestKind.kind: expected a string, got a number"],
  [{ requestResource: { group: 1 } }, "request.requestResource.group: expected a string, got a number"],
  [{ userInfo: { username: 1 } }, "request.userInfo.username: expected a string, got a number"],
  [{ userInfo: { groups: "dev" } }, "request.userInfo.groups: expected a list of strings, got a string"],
  [{ userInfo: { groups: ["dev", null] } }, "request.userInfo.groups[1]: expected a string, got null"],
  [{ userInfo: { extra: { a: ["b", 5] } } }, "request.userInfo.extra.a[1]: expected a string, got a number"],
])("reports the field of %j that has the wrong type", (request, message) => {
  expect(() => admission(request)).toThrow(message);
});

it.each([
  [{ apiVersion: "admission.k8s.io/v1" }, "admission.k8s.io/v1"],
  [{ apiVersion: "admission.k8s.io/v1beta1" }, "admission.k8s.io/v1beta1"],
  [{ apiVersion: "", kind: "" }, "admission.k8s.io/v1"],
])("reads the version of %j", (more, apiVersion) => {
  expect(admission({}, more).apiVersion).toBe(apiVersion);
});

it.each([{ apiVersion: "admission.k8s.io/v2" }, { kind: "TokenReview" }, { kind: "" }, { apiVersion: "" }])(
  "refuses the unknown review %j",
  (more) => {
    expect(() => admission({}, more)).toThrow(
      "expected AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1",
    );
  },
);

it("refuses a review that is not an object", () => {
  expect(() => readAdmissionReview("[]")).toThrow("an AdmissionReview must be an object");
  expect(() => readTokenReview("5")).toThrow("a TokenReview must be an object");
  expect(() => readTokenReview("{")).toThrow(SyntaxError);
});

it("reads a token request", () => {
  const spec = { token: "t", audiences: ["a", "b"] };
  expect(token({ metadata: { uid: "7", name: "n" }, spec })).toEqual({
    apiVersion: "authentication.k8s.io/v1",
    request: { uid: "7", name: "n", ...spec },
  });
  expect(token({}).request).toEqual({ uid: "", name: "", token: "", audiences: [] });
  expect(token({ apiVersion: "authentication.k8s.io/v1beta1" }).apiVersion).toBe("authentication.k8s.io/v1beta1");
  expect(() => token({ spec: { token: 5 } })).toThrow("spec.token: expected a string, got a number");
  expect(() => token({ spec: { audiences: [5] } })).toThrow("spec.audiences[0]: expected a string, got a number");
});

it("returns about a token only the handler's answer", () => {
  const user = { username: "jane" };
  expect(authenticated(user)).toEqual({ authenticated: true, user });
  expect(authenticated(user, "soon over")).toEqual({ authenticated: true, user, error: "soon over" });
  expect(unauthenticated()).toEqual({ authenticated: false, user: {} });
  expect(unauthenticated("no such token")).toEqual({ authenticated: false, user: {}, error: "no such token" });
  expect(tokenErrored(new Error("away"))).toEqual({ authenticated: false, error: "away" });
  expect(reviewResponse(true, user, "", "a", "b")).toEqual({ authenticated: true, user, audiences: ["a", "b"] });
});

it("answers in the version of the request, never with the token", () => {
  expect(JSON.parse(writeTokenReview("v", "7", unauthenticated()))).toEqual({
    kind: "TokenReview",
    apiVersion: "v",
    metadata: { uid: "7" },
    spec: {},
    status: { authenticated: false, user: {} },
  });
  expect(JSON.parse(writeTokenReview("v", "", unauthenticated())).metadata).toEqual({});
  expect(JSON.parse(writeAdmissionReview("v", { uid: "7" }))).toEqual({
    kind: "AdmissionReview",
    apiVersion: "v",
    response: { uid: "7" },
  });
});

it("treats a TokenReview without metadata or spec as empty", () => {
  const request = { uid: "", name: "", token: "", audiences: [] };
  for (const review of [{}, { metadata: null, spec: null }, { metadata: {}, spec: {} }])
    expect(token(review).request).toEqual(request);
});
