import { Client } from "@kubewright/client";
import { Pod, ReplicaSet } from "@kubewright/client/kinds";
import { ApiServer } from "@kubewright/kube-apiserver";
import { expect, it, vi } from "vitest";
import { startControllers } from "../controllers.ts";

const labels = { app: "web" };
const key = "default/web";

it("creates and deletes no pod twice, however stale its cache is", async () => {
  const server = await ApiServer.start();
  const controllers = await startControllers({ connection: server.connection() });
  const client = new Client({ connection: server.connection() });
  const names = new Set<string>();
  try {
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: "main", image: "nginx:1" }], terminationGracePeriodSeconds: 0 },
    };
    await client.create(ReplicaSet, {
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
    for (const replicas of [3, 1, 4]) {
      await vi.waitFor(async () =>
        expect((await client.get(ReplicaSet, key)).status?.observedGeneration).toBeDefined(),
      );
      server.faults.delay({ group: "", resource: "pods", verb: "watch", ms: 300, count: 1 });
      server.faults.cutWatches({ group: "", resource: "pods" });
      await client.patch(ReplicaSet, key, { spec: { replicas } });
      await vi.waitFor(
        async () => {
          await client.patch(ReplicaSet, key, { metadata: { annotations: { nudge: String(Math.random()) } } });
          const pods = await client.list(Pod, { namespace: "default", labels });
          for (const { metadata } of pods) names.add(metadata.name);
          expect(pods).toHaveLength(replicas);
          expect((await client.get(ReplicaSet, key)).status?.readyReplicas).toBe(replicas);
        },
        { timeout: 10_000, interval: 20 },
      );
    }
    expect(names.size).toBe(3 + 3); // three at first, and three more after one of them was removed
  } finally {
    await client.close();
    await controllers.stop();
    await server.stop();
  }
});
