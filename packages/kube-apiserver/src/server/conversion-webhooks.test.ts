import { type Call, type Reply, TestWebhookServer } from "@kubewright/apiserver/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient, type ReceivedResponse } from "./testing/api-client.ts";

type Host = ReceivedResponse["body"];

const toVersion = (host: Host, apiVersion: string): Host => {
  const { spec = {} } = host;
  if (apiVersion.endsWith("/v1") && spec.hostPort) {
    const [name, port] = spec.hostPort.split(":");
    return { ...host, apiVersion, spec: { host: name, port } };
  }
  if (apiVersion.endsWith("/v1beta1") && spec.host)
    return { ...host, apiVersion, spec: { hostPort: `${spec.host}:${spec.port}` } };
  return { ...host, apiVersion };
};

const answer = (
  { review }: Call,
  convertedObjects: readonly Host[],
  result: object = { status: "Success" },
): Reply => ({
  body: { ...review, request: undefined, response: { uid: review.request.uid, result, convertedObjects } },
});

const convertedBy = (call: Call): Host[] =>
  call.review.request.objects.map((host: Host) => toVersion(host, call.review.request.desiredAPIVersion));

const version = (name: string, storage: boolean, properties: object) => ({
  name,
  served: true,
  storage,
  selectableFields: Object.keys(properties).map((field) => ({ jsonPath: `.spec.${field}` })),
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
});
const text = { type: "string" };
const v1 = "/apis/example.com/v1/namespaces/default/hosts";
const v1beta1 = "/apis/example.com/v1beta1/namespaces/default/hosts";
const host = (name: string) => ({
  apiVersion: "example.com/v1",
  kind: "Host",
  metadata: { name },
  spec: { host: "h", port: "1" },
});

let server: ApiServer;
let api: ApiClient;
let hooks: TestWebhookServer;
let reply: (call: Call) => Reply;
beforeEach(async () => {
  reply = (call) => answer(call, convertedBy(call));
  hooks = await TestWebhookServer.start({ "/convert": (call) => reply(call) });
  server = await ApiServer.start({
    tls: false,
    crds: [
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "hosts.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "hosts", kind: "Host" },
          versions: [version("v1", true, { host: text, port: text }), version("v1beta1", false, { hostPort: text })],
          conversion: {
            strategy: "Webhook",
            webhook: { conversionReviewVersions: ["v1"], clientConfig: hooks.clientConfig("/convert") },
          },
        },
      },
    ],
  });
  api = new ApiClient(server);
});
afterEach(async () => {
  api.close();
  await server.stop();
  await hooks[Symbol.asyncDispose]();
});

describe("a custom resource with a conversion webhook", () => {
  it("is read, patched and applied in the version of the request, and stored in the storage version", async () => {
    await api.post(v1, host("a"));
    expect(hooks.calls).toHaveLength(0);
    expect((await api.get(`${v1beta1}/a`)).body.spec).toEqual({ hostPort: "h:1" });
    const { body } = await api.patch(`${v1beta1}/a`, "merge", { spec: { hostPort: "x:2" } });
    expect(body.spec).toEqual({ hostPort: "x:2" });
    const applied = {
      apiVersion: "example.com/v1beta1",
      kind: "Host",
      metadata: { name: "b" },
      spec: { hostPort: "y:3" },
    };
    await api.patch(`${v1beta1}/b?fieldManager=me`, "apply", applied);
    hooks.calls.length = 0;
    const { items } = (await api.get(v1)).body;
    expect(items.map(({ spec }: Host) => spec)).toEqual([
      { host: "x", port: "2" },
      { host: "y", port: "3" },
    ]);
    expect(hooks.calls).toHaveLength(0);
  });

  it("is converted with all others of a list in one call, without its stored version", async () => {
    for (const name of ["a", "b", "c"]) await api.post(v1, host(name));
    expect((await api.get(v1beta1)).body.items).toHaveLength(3);
    expect(hooks.calls).toHaveLength(1);
    const { desiredAPIVersion, objects } = hooks.calls[0]?.review.request ?? {};
    expect(desiredAPIVersion).toBe("example.com/v1beta1");
    expect(objects[0].metadata).not.toHaveProperty("resourceVersion");
    await api.get(v1beta1);
    expect(hooks.calls).toHaveLength(1);
  });

  it("reaches watchers of each version", async () => {
    await api.post(v1, host("a"));
    for await (const { object } of api.watch(`${v1beta1}?watch=1`)) {
      expect(object).toMatchObject({ apiVersion: "example.com/v1beta1", spec: { hostPort: "h:1" } });
      break;
    }
  });

  it("is selected by the fields of the requested version", async () => {
    for (const [name, port] of Object.entries({ a: "1", b: "2", c: "1" }))
      await api.post(v1, { ...host(name), spec: { host: "h", port } });
    const listed = async (url: string): Promise<string[]> =>
      (await api.get(url)).body.items.map(({ metadata }: Host) => metadata.name);
    const matching = `${v1beta1}?fieldSelector=spec.hostPort%3Dh:1`;
    expect(await listed(matching)).toEqual(["a", "c"]);
    expect(await listed(`${v1}?fieldSelector=spec.port%3D1`)).toEqual(["a", "c"]);
    const first = (await api.get(`${matching}&limit=1`)).body;
    expect(first.items.map(({ metadata }: Host) => metadata.name)).toEqual(["a"]);
    await api.delete(`${v1}/c`);
    expect(await listed(`${matching}&limit=1&continue=${first.metadata.continue}`)).toEqual(["c"]);
    await api.delete(matching);
    expect(await listed(v1beta1)).toEqual(["b"]);
  });

  it("is watched by the fields of the requested version", async () => {
    for (const [name, port] of Object.entries({ a: "1", b: "2" }))
      await api.post(v1, { ...host(name), spec: { host: "h", port } });
    const seen: string[] = [];
    const next: Record<string, () => Promise<unknown>> = {
      "ADDED a": () => api.patch(`${v1}/b`, "merge", { spec: { port: "1" } }),
      "ADDED b": () => api.patch(`${v1}/b`, "merge", { metadata: { annotations: { seen: "1" } } }),
      "MODIFIED b": () => api.patch(`${v1}/a`, "merge", { spec: { port: "3" } }),
      "DELETED a": () => api.delete(`${v1}/b`),
    };
    for await (const { type, object } of api.watch(`${v1beta1}?watch=1&fieldSelector=spec.hostPort%3Dh:1`)) {
      expect(object).toMatchObject({ apiVersion: "example.com/v1beta1", spec: { hostPort: "h:1" } });
      const event = `${type} ${object.metadata.name}`;
      seen.push(event);
      if (event === "DELETED b") break;
      await next[event]?.();
    }
    expect(seen).toEqual([...Object.keys(next), "DELETED b"]);
  });

  it("reports a failed conversion to those who select by fields", async () => {
    await api.post(v1, host("a"));
    reply = (call) => answer(call, [], { status: "Failure", message: "no" });
    const matching = `${v1beta1}?fieldSelector=spec.hostPort%3Dh:1`;
    const message = "conversion webhook for example.com/v1, Kind=Host failed: no";
    expect(await api.get(matching)).toMatchObject({ status: 500, body: { message } });
    const seen: unknown[] = [];
    for await (const event of api.watch(`${matching}&watch=1`)) seen.push(event);
    expect(seen).toMatchObject([{ type: "ERROR", object: { message: expect.stringContaining(message) } }]);
  });

  it("is selected by labels that the webhook sets", async () => {
    await api.post(v1, host("a"));
    reply = (call) =>
      answer(
        call,
        convertedBy(call).map((one) => ({ ...one, metadata: { ...one.metadata, labels: { l: "1" } } })),
      );
    expect((await api.get(`${v1beta1}?labelSelector=l%3D1`)).body.items).toHaveLength(1);
    expect((await api.get(`${v1}?labelSelector=l%3D1`)).body.items).toHaveLength(0);
  });

  it("must be watched again once its definition changes", async () => {
    await api.post(v1, host("a"));
    const seen: string[] = [];
    for await (const { type } of api.watch(`${v1beta1}?watch=1`)) {
      seen.push(type);
      await api.patch("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hosts.example.com", "merge", {
        spec: { names: { plural: "hosts", kind: "Host", shortNames: ["ho"] } },
      });
    }
    expect(seen).toEqual(["ADDED"]);
  });

  it("keeps its metadata except labels and annotations", async () => {
    await api.post(v1, host("a"));
    reply = (call) =>
      answer(
        call,
        convertedBy(call).map((one) => ({
          ...one,
          metadata: { ...one.metadata, labels: { l: "1" }, finalizers: ["x/y"] },
        })),
      );
    const { metadata } = (await api.get(`${v1beta1}/a`)).body;
    expect(metadata.labels).toEqual({ l: "1" });
    expect(metadata).not.toHaveProperty("finalizers");
  });
});

describe("forbidden conversions are answered with code 500:", () => {
  const about = "conversion webhook for example.com/v1, Kind=Host";
  const changed = (change: (one: Host) => Host) => (call: Call) => answer(call, convertedBy(call).map(change));
  it.each<[string, (call: Call) => Reply]>([
    [`${about} failed: cannot convert`, (call) => answer(call, [], { status: "Failure", message: "cannot convert" })],
    [`${about} failed: response.result.status was '', not 'Success'`, (call) => answer(call, [], {})],
    [`${about} returned 0 objects, expected 1`, (call) => answer(call, [])],
    [
      `${about} returned invalid object at index 0: invalid groupVersion (expected example.com/v1beta1, received a/v2)`,
      changed((one) => ({ ...one, apiVersion: "a/v2" })),
    ],
    [
      `${about} returned invalid object: must have the same name: a != b`,
      changed((one) => ({ ...one, metadata: { ...one.metadata, name: "b" } })),
    ],
    [
      `${about} returned invalid metadata: metadata.labels[l] must be a string, but is int64 in converted object`,
      changed((one) => ({ ...one, metadata: { ...one.metadata, labels: { l: 1 } } })),
    ],
  ])("%s", async (message, answered) => {
    await api.post(v1, host("a"));
    reply = answered;
    const { body } = await api.get(`${v1beta1}/a`);
    expect(body).toEqual({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
    expect((await api.get(`${v1}/a`)).status).toBe(200);
  });
});
