import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
const pods = `${core}/pods`;
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "x" }], ...spec },
});
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } };

describe("built-in kinds", () => {
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

  it("pods on a node are deleted with grace, others at once", async () => {
    await api.post(pods, pod("idle"));
    expect((await api.delete(`${pods}/idle`)).body.kind).toBe("Pod");
    expect((await api.get(`${pods}/idle`)).status).toBe(404);
    await api.post(pods, pod("busy", { nodeName: "n1" }));
    expect((await api.delete(`${pods}/busy`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
    expect((await api.delete(`${pods}/busy`, { gracePeriodSeconds: 5 })).body.metadata.deletionGracePeriodSeconds).toBe(
      5,
    );
    expect((await api.get(`${pods}/busy`)).status).toBe(200);
    await api.delete(`${pods}/busy`, { gracePeriodSeconds: 0 });
    expect((await api.get(`${pods}/busy`)).status).toBe(404);
  });

  it("pods are bound once", async () => {
    await api.post(pods, pod("b"));
    const binding = { metadata: { name: "b" }, target: { kind: "Node", name: "n1" } };
    expect((await api.post(`${pods}/b/binding`, binding)).status).toBe(201);
    expect((await api.get(`${pods}/b`)).body.spec.nodeName).toBe("n1");
    expect((await api.post(`${pods}/b/binding`, binding)).body.message).toContain('already assigned to node "n1"');
  });

  it("eviction respects disruption budgets", async () => {
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    await api.post(budgets, {
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "kept" } } },
    });
    await api.post(pods, { ...pod("kept"), metadata: { name: "kept", labels: { app: "kept" } } });
    const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    await api.patch(`${pods}/kept/status`, "merge", { status: running });
    const eviction = { metadata: { name: "kept" } };
    expect((await api.post(`${pods}/kept/eviction`, eviction)).body).toMatchObject({
      code: 429,
      reason: "TooManyRequests",
    });
    await api.patch(`${budgets}/b/status`, "merge", { status: { observedGeneration: 1, disruptionsAllowed: 1 } });
    expect((await api.post(`${pods}/kept/eviction`, eviction)).status).toBe(201);
  });

  it("deployments are scaled through their parent", async () => {
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    await api.post(deployments, {
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { app: "web" } }, template },
    });
    const { body } = await api.patch(`${deployments}/d/scale`, "merge", { spec: { replicas: 3 } });
    expect(body).toMatchObject({ kind: "Scale", spec: { replicas: 3 }, status: { selector: "app=web" } });
    expect((await api.get(`${deployments}/d`)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 3 },
    });
    const negative = await api.patch(`${deployments}/d/scale`, "merge", { spec: { replicas: -2 } });
    expect(negative.body.message).toBe(
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -2: must be greater than or equal to 0',
    );
  });

  it("services get addresses, and keep them", async () => {
    const services = `${core}/services`;
    const { body } = await api.post(services, {
      metadata: { name: "s" },
      spec: { type: "NodePort", ports: [{ port: 80 }] },
    });
    expect(body.spec.clusterIP).toMatch(/^10\./);
    expect(body.spec.ports[0].nodePort).toBeGreaterThanOrEqual(30_000);
    const { clusterIP: _clusterIP, clusterIPs: _clusterIPs, ...spec } = body.spec;
    const replaced = await api.put(`${services}/s`, { ...body, spec });
    expect(replaced.body.spec.clusterIP).toBe(body.spec.clusterIP);
    const taken = await api.post(services, {
      metadata: { name: "t" },
      spec: { clusterIP: body.spec.clusterIP, ports: [{ port: 80 }] },
    });
    expect(taken.body.message).toContain("provided IP is already allocated");
  });

  it("namespaces are removed once finalized, and reject new objects meanwhile", async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "n" } });
    const { body } = await api.delete("/api/v1/namespaces/n");
    expect(body.status.phase).toBe("Terminating");
    const late = await api.post("/api/v1/namespaces/n/configmaps", { metadata: { name: "late" } });
    expect(late.body.message).toBe(
      'configmaps "late" is forbidden: unable to create new content in namespace n because it is being terminated',
    );
    const finalized = { ...body, spec: { finalizers: [] } };
    expect((await api.put("/api/v1/namespaces/n/finalize", finalized)).status).toBe(200);
    expect((await api.get("/api/v1/namespaces/n")).status).toBe(404);
  });

  it("events are the same in both groups", async () => {
    await api.post(`${core}/events`, {
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", name: "p", namespace: "default" },
      reason: "Tested",
      message: "hello",
    });
    const { body } = await api.get("/apis/events.k8s.io/v1/namespaces/default/events/e");
    expect(body).toMatchObject({ apiVersion: "events.k8s.io/v1", note: "hello", regarding: { name: "p" } });
    const selected = await api.get(`${core}/events?fieldSelector=involvedObject.name%3Dp`);
    expect(selected.body.items).toHaveLength(1);
  });

  it("leases are created by PUT", async () => {
    const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    expect((await api.put(path, { metadata: { name: "l" }, spec: { holderIdentity: "me" } })).status).toBe(201);
  });
});

it("events expire", async () => {
  const clock = new FakeClock();
  await using server = await ApiServer.start({ tls: false, clock, eventTtlSeconds: 60 });
  const api = new ApiClient(server);
  const event = {
    metadata: { name: "e" },
    involvedObject: { kind: "Pod", name: "p", namespace: "default" },
    reason: "R",
  };
  await api.post(`${core}/events`, event);
  await clock.advance(60_000);
  expect((await api.get(`${core}/events/e`)).status).toBe(404);
  api.close();
});
