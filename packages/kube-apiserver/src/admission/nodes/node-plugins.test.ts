import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../../server/api-server.ts";
import { ApiClient } from "../../server/testing/api-client.ts";

const pods = "/api/v1/namespaces/default/pods";
const zone = "topology.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";

let server: ApiServer;
let api: ApiClient;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["ServiceAccount"] });
  api = new ApiClient(server);
  await api.post("/api/v1/nodes", {
    metadata: { name: "n", labels: { [zone]: "z1", [region]: "r1", "topology.kubernetes.io/rack": "x" } },
  });
  await api.patch("/api/v1/nodes/n/status", "merge", { status: { allocatable: { cpu: "4", memory: "1Gi" } } });
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const make = (name: string, parts: object = {}, labels = {}) =>
  api.post(pods, { metadata: { name, labels }, spec: { containers: [{ name: "a", image: "x" }], ...parts } });
const metadataOf = async (name: string) => (await api.get(`${pods}/${name}`)).body.metadata;
const bind = (name: string, metadata: object, node = "n") =>
  api.post(`${pods}/${name}/binding`, { metadata: { name, ...metadata }, target: { kind: "Node", name: node } });

it("PodTopologyLabels: a pod gets the region and zone of its node", async () => {
  await make("placed", { nodeName: "n" });
  expect((await metadataOf("placed")).labels).toEqual({ [zone]: "z1", [region]: "r1" });
  await make("bound", {}, { [zone]: "mine", own: "1" });
  await bind("bound", { labels: { [zone]: "binding", more: "2" } });
  expect((await metadataOf("bound")).labels).toEqual({ [zone]: "z1", [region]: "r1", own: "1", more: "2" });
});

it("a pod takes labels and annotations of its binding, even on a missing node", async () => {
  await make("taking");
  expect((await bind("taking", { labels: { a: "b" }, annotations: { c: "d" } }, "ghost")).status).toBe(201);
  expect(await metadataOf("taking")).toMatchObject({ labels: { a: "b" }, annotations: { c: "d" } });
});

const resize = (name: string, spec: object) => api.patch(`${pods}/${name}/resize`, "strategic-merge", { spec });
const asking = (cpu: string) => ({ containers: [{ name: "a", image: "x", resources: { requests: { cpu } } }] });

it("PodResizeValidator: requests must fit on the node", async () => {
  await make("large", { ...asking("1"), nodeName: "n" });
  expect((await resize("large", asking("2"))).status).toBe(200);
  const { status, body } = await resize("large", asking("8"));
  expect([status, body.message, body.details.causes]).toEqual([
    403,
    `pods "large" is forbidden: node didn't have enough allocatable resources: cpu, requested: 8000, allocatable: 4000`,
    [{ reason: "NodeCapacity" }],
  ]);
  await make("lost", { ...asking("1"), nodeName: "ghost" });
  expect((await resize("lost", asking("2"))).body.message).toBe('pods "lost" is forbidden: node "ghost" not found');
  await make("windows", { ...asking("1"), nodeName: "n", os: { name: "windows" } });
  expect((await resize("windows", asking("2"))).body.message).toBe(
    'Pod "windows" is invalid: []: Forbidden: windows pods cannot be resized',
  );
});

it("NodeDeclaredFeatureValidator: pod-level resources can change if the node supports it", async () => {
  const whole = (cpu: string) => ({ resources: { requests: { cpu } } });
  await make("whole", { ...whole("1"), nodeName: "n" });
  expect((await resize("whole", whole("2"))).body.message).toBe(
    'pods "whole" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "n"',
  );
  await api.patch("/api/v1/nodes/n/status", "merge", {
    status: { declaredFeatures: ["InPlacePodLevelResourcesVerticalScaling"] },
  });
  expect((await resize("whole", whole("2"))).body.spec.resources).toEqual({ requests: { cpu: "2" } });
});
