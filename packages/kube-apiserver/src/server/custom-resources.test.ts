import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

const definition = (names: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], ...names },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [{ name: "Color", type: "string", jsonPath: ".spec.color" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["color"],
                properties: {
                  color: { type: "string", enum: ["red", "green"] },
                  replicas: { type: "integer", minimum: 0, default: 2 },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" }, ready: { type: "boolean" } } },
            },
          },
        },
      },
    ],
  },
});
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const widget = (name: string, spec: object = { color: "red" }, metadata: object = {}) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, ...metadata },
  spec,
});

describe("custom resources", () => {
  let server: ApiServer;
  let api: ApiClient;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false, crds: [definition()] });
    api = new ApiClient(server);
  });
  afterAll(async () => {
    api.close();
    await server.stop();
  });

  it("are served and in discovery once the definition is established", async () => {
    const { body } = await api.get(`${definitions}/widgets.example.com`);
    expect(body.status.conditions).toMatchObject([
      { type: "NamesAccepted", status: "True", reason: "NoConflicts" },
      { type: "Established", status: "True", reason: "InitialNamesAccepted" },
    ]);
    const resources = await api.get("/apis/example.com/v1");
    expect(resources.body.resources.map(({ name }: { name: string }) => name)).toEqual([
      "widgets",
      "widgets/status",
      "widgets/scale",
    ]);
    const document = await api.get("/openapi/v3/apis/example.com/v1");
    expect(Object.keys(document.body.paths)).toContain("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}");
  });

  it("are defaulted, pruned and validated", async () => {
    const created = await api.post(widgets, widget("a", { color: "red", bogus: 1 }));
    expect(created.body.spec).toEqual({ color: "red", replicas: 2 });
    expect(created.headers.warning).toContain('unknown field \\"spec.bogus\\"');
    const wrong = await api.post(widgets, widget("b", { color: "blue", replicas: -1 }));
    expect(wrong.body.message).toContain('spec.color: Unsupported value: "blue": supported values: "red", "green"');
    const fields = wrong.body.details.causes.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(["spec.color", "spec.replicas", ".spec.replicas"]); // the schema's minimum, and that of a scale
  });

  it("increment generations, and separate status and spec", async () => {
    await api.post(widgets, widget("g"));
    const spec = await api.patch(`${widgets}/g`, "merge", { spec: { color: "green" }, status: { ready: true } });
    expect([spec.body.metadata.generation, spec.body.status]).toEqual([2, undefined]);
    const status = await api.patch(`${widgets}/g/status`, "merge", { spec: { color: "red" }, status: { ready: true } });
    expect([status.body.metadata.generation, status.body.spec.color, status.body.status.ready]).toEqual([
      2,
      "green",
      true,
    ]);
    const scaled = await api.patch(`${widgets}/g/scale`, "merge", { spec: { replicas: 5 } });
    expect(scaled.body).toMatchObject({ kind: "Scale", spec: { replicas: 5 } });
    expect((await api.get(`${widgets}/g`)).body.metadata.generation).toBe(3);
  });

  it("must be replaced with a resourceVersion", async () => {
    await api.post(widgets, widget("r"));
    const { body } = await api.put(`${widgets}/r`, widget("r"));
    expect(body.message).toBe(
      'widgets.example.com "r" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  it("have tables with the columns of their version", async () => {
    await api.post(widgets, widget("t"));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body } = await api.get(`${widgets}/t`, { headers: { accept } });
    expect(body.rows[0].cells).toEqual(["t", "red"]);
  });

  it("are not accepted if their names are in use", async () => {
    const other = definition({ plural: "gadgets", kind: "Widget", shortNames: [] });
    other.metadata.name = "gadgets.example.com";
    await api.post(definitions, other);
    await expect
      .poll(async () => (await api.get(`${definitions}/gadgets.example.com`)).body.status?.conditions)
      .toMatchObject([
        { type: "NamesAccepted", status: "False", message: expect.stringContaining("is already in use") },
        { type: "Established", status: "False", reason: "NotAccepted" },
      ]);
    expect((await api.get("/apis/example.com/v1/gadgets")).status).toBe(404);
    await api.delete(`${definitions}/gadgets.example.com`);
  });

  it("are deleted with their definition, but not before their finalizers", async () => {
    await api.post(widgets, widget("held", undefined, { finalizers: ["example.com/x"] }));
    await api.delete(`${definitions}/widgets.example.com`);
    await expect.poll(async () => (await api.get(widgets)).body.items?.length).toBe(1);
    const refused = await api.post(widgets, widget("late"));
    expect(refused.body).toMatchObject({
      code: 403,
      message: expect.stringContaining("create not allowed while custom resource definition is terminating"),
    });
    await api.patch(`${widgets}/held`, "merge", { metadata: { finalizers: null } });
    await expect.poll(async () => (await api.get(`${definitions}/widgets.example.com`)).status).toBe(404);
    expect((await api.get(widgets)).text).toBe("404 page not found\n");
  });
});
