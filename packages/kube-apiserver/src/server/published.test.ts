import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string, resources: object = {}) => ({
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: "c", image: "x:1", resources }] },
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gauges.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "gauges", kind: "Gauge" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

describe("published information", () => {
  let server: ApiServer;
  let api: ApiClient;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["ServiceAccount"] });
    api = new ApiClient(server);
  });
  afterAll(() => server.stop());

  it("includes definitions in both documents, and removes them again", async () => {
    const services = "/apis/apiregistration.k8s.io/v1/apiservices";
    await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const known = async () => "com.example.v1.Gauge" in (await api.get("/openapi/v2")).body.definitions;
    await expect.poll(known).toBe(true);
    const index = (await api.get("/openapi/v3")).body ?? JSON.parse((await api.get("/openapi/v3")).text);
    expect(index.paths["apis/example.com/v1"].serverRelativeURL).toMatch(/\?hash=[0-9A-F]{128}$/);
    expect((await api.get(index.paths["apis/example.com/v1"].serverRelativeURL)).headers["cache-control"]).toBe(
      "public, immutable",
    );
    await expect.poll(async () => (await api.get(`${services}/v1.example.com`)).status).toBe(200);
    await api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gauges.example.com");
    await expect.poll(known).toBe(false);
    await expect.poll(async () => (await api.get(`${services}/v1.example.com`)).status).toBe(404);
  });

  it("sends the document as protobuf on request, and nothing if unchanged", async () => {
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const answer = await api.get("/openapi/v2", { headers: { accept } });
    expect(answer.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    expect(answer.text.slice(0, 5)).toBe("\n\u00032.0");
    const headers = { "if-none-match": String(answer.headers.etag) };
    expect((await api.get("/openapi/v2", { headers })).status).toBe(304);
    expect((await api.get("/openapi/v2", { headers: { accept: "application/yaml" } })).status).toBe(406);
    expect((await api.get("/openapi/v3/version?hash=ABC")).status).toBe(301);
  });

  it("reports health, check by check", async () => {
    expect((await api.get("/readyz")).text).toBe("ok");
    expect((await api.get("/readyz/poststarthook/rbac/bootstrap-roles")).text).toBe("ok");
    expect((await api.get("/livez/nope")).status).toBe(404);
    const { text } = await api.get("/readyz?verbose&exclude=etcd&exclude=nope");
    expect(text).toContain("[+]etcd excluded: ok\n[+]etcd-readiness ok\n");
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "nope"\nreadyz check passed\n');
  });

  it("has flow schemas, levels and services from the start", async () => {
    const { body } = await api.get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas");
    expect(body.items).toHaveLength(11);
    expect(body.items[0].status.conditions[0]).toMatchObject({ type: "Dangling", status: "False" });
    const local = await api.get("/apis/apiregistration.k8s.io/v1/apiservices/v1.apps");
    expect(local.body.status.conditions[0]).toMatchObject({ type: "Available", status: "True", reason: "Local" });
  });

  it("adds ephemeral containers and changes resources only through their subresources", async () => {
    await api.post(pods, pod("e", { requests: { cpu: "100m" }, limits: { cpu: "200m" } }));
    const debug = { spec: { ephemeralContainers: [{ name: "dbg", image: "y" }] } };
    const added = await api.patch(`${pods}/e/ephemeralcontainers`, "strategic-merge", debug);
    expect(added.body.metadata.generation).toBe(2);
    const removed = await api.patch(`${pods}/e/ephemeralcontainers`, "merge", { spec: { ephemeralContainers: [] } });
    expect(removed.body.message).toContain('existing ephemeral containers "dbg" may not be removed');
    const resources = { requests: { cpu: "150m" } };
    const resized = await api.patch(`${pods}/e/resize`, "strategic-merge", {
      spec: { containers: [{ name: "c", image: "other", resources }] },
    });
    expect(resized.body.spec.containers[0]).toMatchObject({ image: "x:1", resources });
  });

  it("reports unsupported features clearly", async () => {
    await api.post("/api/v1/nodes", { metadata: { name: "n2" } });
    await api.patch("/api/v1/nodes/n2/status", "merge", {
      status: { addresses: [{ type: "InternalIP", address: "10.0.0.9" }] },
    });
    await api.post(pods, { ...pod("log"), spec: { ...pod("log").spec, nodeName: "n2" } });
    expect((await api.get(`${pods}/log/log`)).body).toMatchObject({ code: 501, reason: "NotImplemented" });
    const upgrade = { connection: "Upgrade", upgrade: "websocket" };
    expect((await api.get(`${pods}/log/exec?command=ls`, { headers: upgrade })).body.message).toBe(
      "exec is not supported by the embedded API server",
    );
    expect((await api.get("/api/v1/nodes/n2/proxy/a/b")).status).toBe(501);
    expect((await api.get(`${pods}/nope/log`)).status).toBe(404);
  });

  it("marks a pod before it evicts it", async () => {
    await api.post(pods, pod("v"));
    await api.post("/api/v1/namespaces/default/bindings", { metadata: { name: "v" }, target: { name: "n1" } });
    expect((await api.post(`${pods}/v/eviction`, { metadata: { name: "v" } })).status).toBe(201);
    const { body } = await api.get(`${pods}/v`);
    expect(body.status.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True" }),
    );
  });
});
