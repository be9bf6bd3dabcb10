import { expect, it } from "vitest";
import type { RequestMessage, ResponseMessage } from "../../http/messages.ts";
import { ApiRequest } from "./api-request.ts";
import { requestInfo } from "./request-info.ts";

const [ann, bob] = [
  { name: "ann", groups: ["a"] },
  { name: "bob", groups: [] },
];

const newRequest = (method = "POST"): ApiRequest =>
  new ApiRequest({
    incoming: { method, headers: {} } as RequestMessage,
    response: {} as ResponseMessage,
    info: requestInfo(method, "/api/v1/namespaces/n/configmaps", new URLSearchParams()),
    query: new URLSearchParams(),
    receivedMs: 0,
    auditId: "id",
    stopping: new AbortController().signal,
  });

it("has no user, then its sender, then the impersonated user", () => {
  const request = newRequest();
  expect(request.user).toEqual({ name: "", groups: [] });
  expect(request.authenticated).toBeUndefined();
  request.authenticatedAs({ user: ann, warnings: ["old token"] });
  expect(request.user).toBe(ann);
  expect(request.warnings.headers()).toHaveLength(1);
  request.actingAs(bob);
  expect(request.user).toBe(bob);
  expect(request.authenticated).toBe(ann);
});

it("rejects repeated and premature steps", () => {
  const request = newRequest();
  expect(() => request.actingAs(bob)).toThrow("set only once, after authentication");
  request.authenticatedAs({ user: ann });
  expect(() => request.authenticatedAs({ user: bob })).toThrow("already authenticated");
  request.actingAs(ann);
  expect(() => request.actingAs(bob)).toThrow("can be set only once");
  expect(request.user).toBe(ann);
});

it("keeps the first of two annotations with the same key", () => {
  const request = newRequest();
  request.annotate("a", "1");
  request.annotate("a", "2");
  expect([...request.annotations]).toEqual([["a", "1"]]);
});

it("keeps the parts of a body that the audit log needs, and nothing by default", () => {
  const object = { metadata: { name: "c", uid: "u" }, data: { a: "b" } };
  const [silent, names, objects] = [newRequest(), newRequest(), newRequest()];
  names.keepForAudit({ names: true, objects: false });
  objects.keepForAudit({ names: true, objects: true });
  for (const request of [silent, names, objects]) request.recordObject(object);
  object.data.a = "changed";
  expect([silent.named, silent.requestObject]).toEqual([{}, undefined]);
  expect([names.named, names.requestObject]).toEqual([{ name: "c", uid: "u" }, undefined]);
  expect(objects.requestObject).toEqual({ metadata: { name: "c", uid: "u" }, data: { a: "b" } });
});
