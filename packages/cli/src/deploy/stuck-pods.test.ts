import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { expect, it } from "vitest";
import { stuckPods } from "./stuck-pods.ts";

it("reports why pods are not ready, and how to print the log of those that ran", async () => {
  await using env = await Environment.start();
  await using client = new Client({ connection: env.connection() });
  const labels = { app: "shop" };
  const containers = [{ name: "manager", image: "example/shop" }];
  const metadata = { namespace: "default", name: "shop" };
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  const deployment = await client.create(unstructured({ apiVersion: "apps/v1", kind: "Deployment" }), {
    metadata,
    spec,
  });
  const crashed = { terminated: { exitCode: 1 } };
  const states = {
    "a-pulls": { state: { waiting: { reason: "ImagePullBackOff" } } },
    "b-backs-off": { state: { waiting: { message: "back-off 10s" } }, lastState: crashed },
    "c-again": { state: { running: {} }, lastState: crashed },
    "d-unready": { state: { running: {} } },
    "e-ready": { state: { running: {} }, ready: true },
  };
  for (const [name, state] of Object.entries(states)) {
    const key = { namespace: "default", name };
    await client.create(Pod, { metadata: { ...key, labels }, spec: { containers } });
    const status = { name: "manager", image: "example/shop", imageID: "", ready: false, restartCount: 0, ...state };
    await client.status.patch(Pod, key, { containerStatuses: [status] });
  }
  expect(await stuckPods(client, deployment)).toEqual([
    "a-pulls: manager: ImagePullBackOff",
    "b-backs-off: manager: back-off 10s, ended with exit code 1: kubectl logs -n default b-backs-off -c manager",
    "c-again: manager: ended with exit code 1: kubectl logs -n default c-again -c manager --previous",
    "d-unready: manager: is not ready: kubectl logs -n default d-unready -c manager",
  ]);
});
