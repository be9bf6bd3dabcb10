import { startControlPlane } from "@kubewright/controller-manager";
import { Environment } from "@kubewright/envtest";
import { Client, type ConnectionSettings } from "kubewright";
import {
  CustomResourceDefinition,
  Deployment,
  Pod,
  ReplicaSet,
} from "kubewright/kinds";
import { expect, it, vi } from "vitest";
import { main, Site } from "./main.ts";

const eventually = <T>(check: () => Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });
const shop = { namespace: "default", name: "shop" };

/** Runs the example's program on one Site. */
async function working(connection: ConnectionSettings) {
  const stop = new AbortController();
  const client = new Client({ connection });
  await client.create(Site, {
    metadata: shop,
    spec: { image: "nginx", replicas: 2 },
  });
  const running = main(connection, stop.signal);
  return {
    client,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await client.close();
    },
  };
}

async function define(
  crd: typeof Site.crd,
  connection: ConnectionSettings,
): Promise<void> {
  const client = new Client({ connection });
  await client.create(CustomResourceDefinition, crd);
  await eventually(() => client.list(Site));
  await client.close();
}

/**
 * Returns the number of reconciles, by counting the requests that each sends.
 */
async function appliesOf(client: Client): Promise<number> {
  const { body } = await client.connection.request({
    method: "GET",
    path: "/metrics",
  });
  const series = body
    .toString()
    .matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm);
  return [...series]
    .filter(
      ([, labels = ""]) =>
        labels.includes('resource="deployments"') &&
        /verb="(APPLY|PATCH)"/.test(labels),
    )
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

it("writes nothing in 100 reconciles without changes", async () => {
  await using env = await Environment.start({ crds: [Site] });
  await using program = await working(env.connection());
  const { client } = program;
  await eventually(async () =>
    expect((await client.get(Site, shop)).status).toEqual({ readyReplicas: 0 }),
  );
  const before = await client.get(Deployment, shop);

  const applied = await appliesOf(client);
  let touched = await client.get(Site, shop);
  for (let times = 1; times <= 100; times++) {
    touched = await client.patch(Site, shop, {
      metadata: { annotations: { times: String(times) } },
    });
    await eventually(async () =>
      expect(await appliesOf(client)).toBeGreaterThanOrEqual(applied + times),
    );
  }

  expect((await client.get(Deployment, shop)).metadata.resourceVersion).toBe(
    before.metadata.resourceVersion,
  );
  expect((await client.get(Site, shop)).metadata.resourceVersion).toBe(
    touched.metadata.resourceVersion,
  );
}, 240_000); // a real server returns megabytes of metrics

it("lets `kubectl rollout restart` replace the pods once, and does not replace the new ones", async () => {
  await using plane = await startControlPlane({});
  await define(Site.crd, plane.connection());
  await using program = await working(plane.connection());
  const { client } = program;
  const readyPods = async (): Promise<string[]> => {
    expect((await client.get(Site, shop)).status?.readyReplicas).toBe(2);
    const pods = await client.list(Pod, { namespace: "default" });
    expect(pods).toHaveLength(2);
    return pods.map(({ metadata }) => metadata.name);
  };
  const before = await eventually(readyPods);

  // The patch that kubectl sends.
  const annotations = {
    "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z",
  };
  await client.patch(
    Deployment,
    shop,
    { spec: { template: { metadata: { annotations } } } },
    { type: "strategic" },
  );
  const after = await eventually(async () => {
    const pods = await readyPods();
    expect(pods.filter((name) => before.includes(name))).toEqual([]);
    return pods;
  });
  const { generation } = (await client.get(Deployment, shop)).metadata;
  await eventually(async () => {
    const { status } = await client.patch(Site, shop, {
      metadata: { annotations: { touched: "yes" } },
    });
    expect(status?.readyReplicas).toBe(2); // 3 until it sees the last pod go
  });
  const applied = await appliesOf(client);
  await client.patch(Site, shop, {
    metadata: { annotations: { touched: "again" } },
  });
  await eventually(async () =>
    expect(await appliesOf(client)).toBeGreaterThan(applied),
  );

  const deployment = await client.get(Deployment, shop);
  expect(deployment.spec.template.metadata?.annotations).toEqual(annotations);
  expect(deployment.metadata.generation).toBe(generation);
  expect(await client.list(ReplicaSet, { namespace: "default" })).toHaveLength(
    2,
  );
  expect(await eventually(readyPods)).toEqual(after);
}, 60_000);
