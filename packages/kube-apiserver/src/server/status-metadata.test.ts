import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

let server: ApiServer;
let api: ApiClient;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["ServiceAccount"] });
  api = new ApiClient(server);
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x" }] } };
const metadata = {
  annotations: { added: "1" },
  labels: { added: "1" },
  finalizers: ["example.com/held"],
  ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "u" }],
};

// as in kube-apiserver
it.each([
  [
    "/api/v1/namespaces/default/services",
    { spec: { ports: [{ port: 80 }] } },
    ["annotations", "labels", "finalizers", "ownerReferences"],
  ],
  ["/api/v1/namespaces/default/pods", { spec: template.spec }, ["annotations", "labels", "finalizers"]],
  [
    "/apis/apps/v1/namespaces/default/deployments",
    { spec: { selector: { matchLabels: { a: "b" } }, template } },
    ["annotations", "finalizers", "ownerReferences"],
  ],
  ["/apis/networking.k8s.io/v1/servicecidrs", { spec: { cidrs: ["10.1.0.0/24"] } }, []],
])("/status of %s accepts some metadata", async (path, object, taken) => {
  await api.post(path, { metadata: { name: "it" }, ...object });
  const { body } = await api.patch(`${path}/it/status`, "merge", { metadata });
  const has = {
    annotations: body.metadata.annotations?.added === "1",
    labels: body.metadata.labels?.added === "1",
    finalizers: body.metadata.finalizers?.includes("example.com/held") ?? false,
    ownerReferences: body.metadata.ownerReferences !== undefined,
  };
  expect(Object.entries(has).flatMap(([name, is]) => (is ? [name] : []))).toEqual(taken);
  const managed = body.metadata.managedFields.find((each: { subresource?: string }) => each.subresource === "status");
  expect(Object.keys(managed?.fieldsV1["f:metadata"] ?? {}).sort()).toEqual(taken.map((name) => `f:${name}`).sort());
});

it("/finalize of a namespace accepts metadata", async () => {
  const path = "/api/v1/namespaces/held";
  const { body } = await api.post("/api/v1/namespaces", { metadata: { name: "held" } });
  const asked = { ...body, metadata: { ...body.metadata, ...metadata }, spec: { finalizers: ["kubernetes", "x.y/z"] } };
  const answer = await api.put(`${path}/finalize`, { ...asked, status: { phase: "Terminating" } });
  expect(answer.body.metadata).toMatchObject({ ...metadata });
  expect([answer.body.spec.finalizers, answer.body.status.phase]).toEqual([["kubernetes", "x.y/z"], "Active"]);
});
