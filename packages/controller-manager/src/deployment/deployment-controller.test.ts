import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { Client, kubeList, type Reader, withReader } from "@kubewright/client";
import { Deployment, ReplicaSet } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import { expect, it, vi } from "vitest";
import { startControlPlane } from "../control-plane.ts";
import { deploymentReconciler } from "./deployment-controller.ts";

it("comes again where its cache was behind, and does not call it an error", async () => {
  await using plane = await startControlPlane();
  const client = new Client({ connection: plane.connection() });
  try {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx:1" }] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    const deployment = await client.create(Deployment, { metadata: { name: "web", namespace: "default" }, spec });
    const sets = await vi.waitFor(
      async () => {
        const found = await client.list(ReplicaSet, { namespace: "default" });
        expect(found).toHaveLength(1);
        return found;
      },
      { timeout: 10_000, interval: 20 },
    );
    // The server is past what the reader shows, and the reader wants another size.
    for (const set of sets) await client.patch(ReplicaSet, set, { metadata: { annotations: { seen: "yes" } } });
    const shown = { ...deployment, spec: { ...deployment.spec, replicas: 3 } };
    const behind: Reader = {
      get: async <T extends KubeObject>() => shown as KubeObject as Stored<DeepReadonly<T>>,
      list: async <T extends KubeObject>(kind: { readonly kind: string }) =>
        kubeList((kind.kind === "ReplicaSet" ? [...sets] : []) as KubeObject[] as Stored<DeepReadonly<T>>[], {}),
    };
    const result = await deploymentReconciler(systemClock)("default/web", {
      client: withReader(client, behind),
      log: silentLogger,
      signal: new AbortController().signal,
      causes: [],
      recorder: { event: () => {} },
      reconcileID: "1",
    });
    expect(result).toEqual({ requeue: true });
  } finally {
    await client.close();
  }
});
