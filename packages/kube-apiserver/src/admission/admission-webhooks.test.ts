import { patchReply, type Responder, reviewReply, TestWebhookServer } from "@kubewright/apiserver/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, labels = {}) => ({ metadata: { name, labels }, data: { a: "b" } });

const count: Responder = (call) => {
  const { annotations = {} } = call.review.request.object.metadata;
  const value = { ...annotations, count: String(Number(annotations.count ?? 0) + 1) };
  return patchReply(call, [{ op: "add", path: "/metadata/annotations", value }]);
};

const answers: Readonly<Record<string, Responder>> = {
  "/allow": (call) => reviewReply(call, { allowed: true }),
  "/deny": (call) => reviewReply(call, { allowed: false, status: { message: "no way" } }),
  "/teapot": (call) => reviewReply(call, { allowed: false, status: { code: 418, reason: "Teapot" } }),
  "/warn": (call) => reviewReply(call, { allowed: true, warnings: ["careful"] }),
  "/broken": () => ({ code: 500, contentType: "text/plain", body: "boom" }),
  "/other": (call) => reviewReply(call, { uid: "other", allowed: true }),
  "/data": (call) => patchReply(call, [{ op: "add", path: "/data/hooked", value: "yes" }]),
  "/misfit": (call) => patchReply(call, [{ op: "remove", path: "/nope" }]),
  "/count": count,
};

let server: ApiServer;
let api: ApiClient;
let hooks: TestWebhookServer;
beforeEach(async () => {
  server = await ApiServer.start({ tls: false });
  api = new ApiClient(server);
  hooks = await TestWebhookServer.start(answers);
});
afterEach(async () => {
  api.close();
  await hooks[Symbol.asyncDispose]();
  await server.stop();
});

const webhook = (name: string, path: string, parts = {}) => ({
  name: `${name}.example.com`,
  clientConfig: hooks.clientConfig(path),
  rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...parts,
});

async function configure(kind: "mutating" | "validating", ...webhooks: readonly object[]): Promise<void> {
  const { status } = await api.post(`${group}/${kind}webhookconfigurations`, { metadata: { name: kind }, webhooks });
  expect(status).toBe(201);
}

describe("a validating webhook", () => {
  it("receives the object as it will be stored", async () => {
    await configure("validating", webhook("a", "/allow"));
    await api.post(`${configMaps}?fieldManager=me`, configMap("x"));
    await api.patch(`${configMaps}/x`, "merge", { data: { a: "c" } });
    await api.delete(`${configMaps}/x`);
    const [created, updated, deleted] = hooks.calls.map(({ review }) => review.request);
    const about = { group: "", version: "v1", kind: "ConfigMap" };
    expect(created).toMatchObject({
      operation: "CREATE",
      name: "x",
      namespace: "default",
      kind: about,
      oldObject: null,
    });
    expect(created.object).toMatchObject({ kind: "ConfigMap", metadata: { uid: expect.any(String) } });
    expect(created.options).toEqual({ kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" });
    expect(created.userInfo).toMatchObject({ username: "admin" });
    expect(updated).toMatchObject({
      operation: "UPDATE",
      object: { data: { a: "c" } },
      oldObject: { data: { a: "b" } },
    });
    expect(deleted).toMatchObject({ operation: "DELETE", object: null, oldObject: { data: { a: "c" } } });
  });

  it.each([
    ["/deny", 400, 'admission webhook "a.example.com" denied the request: no way'],
    ["/teapot", 418, 'admission webhook "a.example.com" denied the request: Teapot'],
    [
      "/broken",
      500,
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
    ],
  ])("that answers like %s is reported with code %i", async (path, code, message) => {
    await configure("validating", webhook("a", path));
    expect((await api.post(configMaps, configMap("x"))).body).toMatchObject({ code, message });
    expect((await api.get(`${configMaps}/x`)).status).toBe(404);
  });

  it("that answers another request is rejected", async () => {
    await configure("validating", webhook("a", "/other"));
    const { body } = await api.post(configMaps, configMap("x"));
    expect(body.message).toMatch(/received invalid webhook response: expected response.uid="[-\da-f]+", got "other"$/);
  });

  it("that is unreachable is skipped if its policy is Ignore", async () => {
    await configure("validating", webhook("a", "/broken", { failurePolicy: "Ignore" }));
    expect((await api.post(configMaps, configMap("x"))).status).toBe(201);
  });

  it("sends warnings to the client", async () => {
    await configure("validating", webhook("a", "/warn"));
    expect((await api.post(configMaps, configMap("x"))).headers.warning).toBe('299 - "careful"');
  });

  it("is called only for requests that match its selectors and conditions", async () => {
    const matchConditions = [{ name: "not-me", expression: "object.metadata.name != 'me'" }];
    await configure(
      "validating",
      webhook("a", "/deny", { objectSelector: { matchLabels: { s: "1" } }, matchConditions }),
    );
    expect((await api.post(configMaps, configMap("x"))).status).toBe(201);
    expect((await api.post(configMaps, configMap("me", { s: "1" }))).status).toBe(201);
    expect((await api.post(configMaps, configMap("y", { s: "1" }))).status).toBe(400);
  });

  it("is not called for webhook configurations", async () => {
    const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
    await configure("validating", webhook("a", "/deny", { rules }));
    const { status } = await api.delete(`${group}/validatingwebhookconfigurations/validating`);
    expect(status).toBe(200);
  });
});

describe("a mutating webhook", () => {
  it("changes the object", async () => {
    await configure("mutating", webhook("a", "/data"));
    const { body } = await api.post(configMaps, configMap("x"));
    expect(body.data).toEqual({ a: "b", hooked: "yes" });
  });

  it("whose patch cannot be applied fails the request, whatever its policy", async () => {
    await configure("mutating", webhook("a", "/misfit", { failurePolicy: "Ignore" }));
    expect((await api.post(configMaps, configMap("x"))).body).toMatchObject({
      code: 500,
      message:
        "Internal error occurred: error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
    });
  });

  it("is called again if a later one changed the object, if it allows that", async () => {
    const again = { reinvocationPolicy: "IfNeeded" };
    await configure("mutating", webhook("a", "/count", again), webhook("b", "/count"));
    const { body } = await api.post(configMaps, configMap("x"));
    expect(body.metadata.annotations.count).toBe("3");
  });

  it("is not called in a dry run unless it has no side effects", async () => {
    await configure("mutating", webhook("a", "/allow", { sideEffects: "NoneOnDryRun" }));
    expect((await api.post(`${configMaps}?dryRun=All`, configMap("x"))).status).toBe(201);
    expect(hooks.calls[0]?.review.request.dryRun).toBe(true);
  });
});

it("a webhook receives a custom resource in the version of its rules", async () => {
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  });
  await server.installDefinitions([
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [version("v1", true), version("v1beta1", false)],
      },
    },
  ]);
  const rules = [{ operations: ["*"], apiGroups: ["example.com"], apiVersions: ["v1beta1"], resources: ["things"] }];
  await configure("validating", webhook("a", "/allow", { rules }));
  const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "t" } };
  await api.post("/apis/example.com/v1/namespaces/default/things", thing);
  expect(hooks.calls[0]?.review.request).toMatchObject({
    resource: { version: "v1beta1" },
    requestResource: { version: "v1" },
    object: { apiVersion: "example.com/v1beta1" },
  });
});
