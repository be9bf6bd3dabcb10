import { ControllerBuilder } from "@kubewright/builder";
import { Client } from "@kubewright/client";
import { Deployment, Pod, ReplicaSet, ServiceAccount } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import type { Cause, Controller, Request } from "@kubewright/controller";
import { ApiServer } from "@kubewright/kube-apiserver";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { expect, it, vi } from "vitest";
import { KindMonitor } from "../discovery/kind-monitor.ts";
import { addDeploymentController } from "./add-deployment-controller.ts";

/** Records requests and their sources instead of reconciling them. */
class RecordingBuilder extends ControllerBuilder {
  readonly asked: { readonly key: string; readonly cause: Cause }[] = [];

  override complete(): Controller<Request> {
    return super.complete((key, { causes }) => void this.asked.push(...causes.map((cause) => ({ key, cause }))));
  }
}

it("enqueues a deployment when a pod of its replica sets is deleted, but not when one changes", async () => {
  const server = await ApiServer.start();
  const connection = server.connection();
  const client = new Client({ connection });
  const manager = new Manager({ connection, logger: silentLogger, metrics: { bindAddress: "0" } });
  const builder = new RecordingBuilder(manager);
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  try {
    const namespace = "default";
    await client.create(ServiceAccount, { metadata: { name: "default", namespace } });
    const labels = { app: "web" };
    const containers = [{ name: "main", image: "web:1" }];
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    };
    const web = await client.create(Deployment, { metadata: { name: "web", namespace }, spec });
    const reference = (kind: string, { metadata: { name, uid = "" } }: typeof web, controller = true) => ({
      ...{ apiVersion: "apps/v1", kind, name, uid, controller },
    });
    const ownersOfSets = {
      owned: [reference("DaemonSet", web, false), reference("Deployment", web)],
      foreign: [reference("DaemonSet", web)],
      named: [reference("Deployment", web, false)],
      free: [],
    };
    const pods = ["orphan"];
    await client.create(Pod, { metadata: { name: "orphan", namespace, labels }, spec: { containers } });
    for (const [name, ownerReferences] of Object.entries(ownersOfSets).reverse()) {
      const set = await client.create(ReplicaSet, { metadata: { name, namespace, ownerReferences }, spec });
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: set.metadata.uid ?? "", controller: true };
      await client.create(Pod, {
        metadata: { name, namespace, labels, ownerReferences: [owner] },
        spec: { containers },
      });
      pods.push(name);
    }
    const { apiReader: live, cache, logger: log } = manager;
    addDeploymentController({
      ...{ manager, clock: systemClock, caData: undefined, signingAuthority: undefined, issueToken: undefined },
      monitor: new KindMonitor({ live, cache, cachedWhole: [], clock: systemClock, log }),
      serves: () => true,
      controller: (name) => builder.named(name),
    });
    running = manager.run(stop.signal);
    const byPods = () => builder.asked.filter(({ cause }) => cause.source === "Pod");
    await vi.waitFor(() => expect(builder.asked.map(({ key }) => key)).toContain("default/web"), { timeout: 10_000 });

    for (const name of pods) await client.status.patch(Pod, { namespace, name }, { phase: "Failed" });
    for (const name of pods) await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 });
    await vi.waitFor(() => expect(byPods()).not.toEqual([]), { timeout: 10_000 });
    expect(byPods()).toMatchObject([{ key: "default/web", cause: { type: "delete", key: "default/owned" } }]);
  } finally {
    stop.abort();
    await running;
    await client.close();
    await server.stop();
  }
});
