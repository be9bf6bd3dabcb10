import { findCondition } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Deployment, HorizontalPodAutoscaler } from "@kubewright/client/kinds";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type PlaneAndClient, startPlaneAndClient } from "../testing/plane-and-client.ts";

let bed: PlaneAndClient;
let client: Client;
beforeAll(async () => {
  bed = await startPlaneAndClient();
  client = bed.client;
});
afterAll(() => bed?.stop());

const soon = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 8_000, interval: 20 });
const namespace = "default";
const scaling = (name: string, target: string, bounds: object) => ({
  metadata: { name, namespace },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: target }, maxReplicas: 3, ...bounds },
});
const conditionOf = async (name: string, type: string) => {
  const { status } = await client.get(HorizontalPodAutoscaler, { namespace, name });
  return findCondition(status?.conditions, type);
};

it("keeps a target within its bounds, and reports that there are no metrics", async () => {
  const labels = { app: "web" };
  await client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: {
      replicas: 5,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "web" }] } },
    },
  });
  await client.create(HorizontalPodAutoscaler, scaling("web", "web", { minReplicas: 2 }));
  const replicas = async () => (await client.get(Deployment, { namespace, name: "web" })).spec.replicas;
  await soon(async () => expect(await replicas()).toBe(3));
  await soon(async () => expect(await conditionOf("web", "AbleToScale")).toMatchObject({ reason: "SucceededRescale" }));

  await client.patch(HorizontalPodAutoscaler, { namespace, name: "web" }, { spec: { maxReplicas: 4 } });
  await soon(async () => {
    const active = await conditionOf("web", "ScalingActive");
    expect(active).toMatchObject({ status: "False", reason: "FailedGetResourceMetric" });
    expect(active?.message).toContain("unable to fetch metrics from resource metrics API");
  });
  expect(await replicas()).toBe(3);
});

it("reports a missing target", async () => {
  await client.create(HorizontalPodAutoscaler, scaling("lost", "nothing", {}));
  await soon(async () => {
    const able = await conditionOf("lost", "AbleToScale");
    expect(able).toMatchObject({ status: "False", reason: "FailedGetScale" });
    expect(able?.message).toContain('deployments.apps "nothing" not found');
  });
});
