import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { Client, kubeList, type Reader, withReader } from "@kubewright/client";
import { Deployment, Pod, ReplicaSet, ServiceAccount } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { ApiServer } from "@kubewright/kube-apiserver";
import { silentLogger } from "@kubewright/log";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startControlPlane } from "../control-plane.ts";
import { deploymentReconciler } from "./deployment-controller.ts";

it("requeues without an error if its cache was stale", async () => {
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
    // The server is ahead of the cache, which contains a different size.
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
      clock: systemClock,
      observe: async (_name, ask) => ask(),
    });
    expect(result).toEqual({ requeue: true });
  } finally {
    await client.close();
  }
});

describe("a deployment, step by step", () => {
  let server: ApiServer;
  let client: Client;
  beforeAll(async () => {
    server = await ApiServer.start();
    client = new Client({ connection: server.connection() });
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  const spec = (image: string, labels: Readonly<Record<string, string>>, more: object = {}) => ({
    replicas: 4,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
    ...more,
  });
  async function rollout(name: string, more: object = {}) {
    const labels = { app: name };
    const key = `default/${name}`;
    const metadata = { name, namespace: "default", annotations: { team: "blue" } };
    await client.create(Deployment, { metadata, spec: spec("web:1", labels, more) });
    const notes: string[] = [];
    const recorder = {
      event: (_: unknown, { reason, note }: { reason: string; note?: string }) => void notes.push(`${reason}: ${note}`),
    };
    const reconcile = deploymentReconciler(systemClock);
    const step = () =>
      reconcile(key, {
        ...{ client, log: silentLogger, signal: new AbortController().signal, causes: [], reconcileID: "1" },
        ...{ recorder, clock: systemClock, observe: async (_name, ask) => ask() },
      });
    const sets = async () => {
      const found = await client.list(ReplicaSet, { namespace: "default", labels });
      return found.toSorted((a, b) => imageOf(a).localeCompare(imageOf(b)));
    };
    /** Does what the ReplicaSet controller would do once all pods are running. */
    const run = async () => {
      for (const set of await sets()) {
        const replicas = set.spec.replicas ?? 0;
        const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas };
        await client.status.patch(ReplicaSet, set, { ...counts, observedGeneration: set.metadata.generation ?? 0 });
      }
    };
    /** Returns the events since the last call, without name hashes. */
    const noted = () => notes.splice(0).map((note) => note.replace(/-[a-z0-9]+ from/, "-# from"));
    const change = (next: object) => client.patch(Deployment, key, { spec: next });
    const template = (image: string) => ({ template: spec(image, labels).template });
    return { key, labels, step, sets, run, noted, change, template };
  }
  const imageOf = ({ spec: { template } }: DeepReadonly<ReplicaSet>) => template?.spec?.containers[0]?.image ?? "";
  const sizes = (sets: readonly DeepReadonly<ReplicaSet>[]) => sets.map(({ spec: { replicas } }) => replicas);
  const note = (name: string, way: string, from: number, to: number) =>
    `ScalingReplicaSet: Scaled ${way} replica set ${name}-# from ${from} to ${to}`;

  it("rolls out another template within its bounds, and emits an event for each change of size", async () => {
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 };
    const web = await rollout("web", { strategy: { type: "RollingUpdate", rollingUpdate }, minReadySeconds: 3 });
    await web.step();
    const [first] = await web.sets();
    expect(first?.spec).toMatchObject({ replicas: 4, minReadySeconds: 3 });
    expect(first?.metadata.ownerReferences).toMatchObject([{ kind: "Deployment", name: "web", controller: true }]);
    expect(first?.metadata.annotations).toEqual({
      team: "blue",
      "deployment.kubernetes.io/revision": "1",
      "deployment.kubernetes.io/desired-replicas": "4",
      "deployment.kubernetes.io/max-replicas": "5",
    });
    expect(web.noted()).toEqual([note("web", "up", 0, 4)]);
    await web.run();
    await web.step();
    await web.change(web.template("web:2"));
    const seen: unknown[] = [];
    for (let turn = 0; turn < 7; turn++) {
      await web.step();
      const now = sizes(await web.sets());
      if (JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now);
      await web.run();
    }
    expect(seen).toEqual([
      [3, 1],
      [3, 2],
      [1, 2],
      [1, 4],
      [0, 4],
    ]);
    expect(web.noted()).toEqual([
      note("web", "up", 0, 1),
      note("web", "down", 4, 3),
      note("web", "up", 1, 2),
      note("web", "down", 3, 1),
      note("web", "up", 2, 4),
      note("web", "down", 1, 0),
    ]);
    await web.step();
    const { metadata, status } = await client.get(Deployment, web.key);
    expect(metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
    expect(status).toMatchObject({ replicas: 4, updatedReplicas: 4, availableReplicas: 4 });
    expect(web.noted()).toEqual([]);
  });

  it("spreads a new size over both sets in the middle of a rollout, even while paused", async () => {
    const web = await rollout("spread", { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } });
    await web.step();
    await web.run();
    await web.change(web.template("web:2"));
    await web.step();
    expect(sizes(await web.sets())).toEqual([4, 2]);
    await web.change({ replicas: 10, paused: true });
    await web.step();
    expect(sizes(await web.sets())).toEqual([8, 4]);
    await web.step();
    expect(sizes(await web.sets())).toEqual([8, 4]);
  });

  it("only resizes while paused", async () => {
    const web = await rollout("paused");
    await web.step();
    await web.change({ ...web.template("web:2"), paused: true });
    await web.step();
    expect(sizes(await web.sets())).toEqual([4]);
    await web.change({ replicas: 2 });
    await web.step();
    expect(sizes(await web.sets())).toEqual([2]);
  });

  it("recreates once the last old pod is gone, and ignores finished pods", async () => {
    await client.create(ServiceAccount, { metadata: { name: "default", namespace: "default" } });
    const web = await rollout("again", { strategy: { type: "Recreate" } });
    await web.step();
    const [old] = await web.sets();
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: old?.metadata.name ?? "", controller: true };
    const ownerReferences = [{ ...owner, uid: old?.metadata.uid ?? "" }];
    const { spec: pod } = spec("web:1", web.labels).template;
    const make = (name: string) =>
      client.create(Pod, { metadata: { name, namespace: "default", labels: web.labels, ownerReferences }, spec: pod });
    await make("ended");
    await client.status.patch(Pod, "default/ended", { phase: "Succeeded" });
    await make("left");
    await web.change(web.template("web:2"));
    await web.step();
    expect(sizes(await web.sets())).toEqual([0]);
    await web.step();
    expect(sizes(await web.sets())).toEqual([0]);
    await client.delete(Pod, "default/left", { gracePeriodSeconds: 0 });
    await web.step();
    expect(sizes(await web.sets())).toEqual([0, 4]);
    expect((await web.sets())[1]?.metadata.annotations?.["deployment.kubernetes.io/max-replicas"]).toBe("4");
  });

  it("deletes the oldest sets beyond its history limit", async () => {
    const web = await rollout("short", { revisionHistoryLimit: 1, strategy: { type: "Recreate" } });
    for (const image of ["web:1", "web:2", "web:3"]) {
      await web.change(web.template(image));
      for (let turn = 0; turn < 3; turn++) {
        await web.step();
        await web.run();
      }
    }
    await web.step();
    expect((await web.sets()).map(imageOf)).toEqual(["web:2", "web:3"]);
  });

  it("requeues for the deadline of a rollout, but not once it is complete", async () => {
    const web = await rollout("late", { progressDeadlineSeconds: 7 });
    await web.step(); // the revision
    await web.step(); // the status
    expect(await web.step()).toEqual({ requeueAfterMs: 7_000 });
    await web.run();
    await web.step();
    expect(await web.step()).toBeUndefined();
  });

  it("uses another name if another template has its own", async () => {
    const web = await rollout("taken");
    await web.step();
    const [own] = await web.sets();
    const { name } = own?.metadata ?? { name: "" };
    await client.delete(ReplicaSet, `default/${name}`);
    const labels = { app: "stranger" };
    await client.create(ReplicaSet, {
      metadata: { name, namespace: "default" },
      spec: { replicas: 0, selector: { matchLabels: labels }, template: spec("other", labels).template },
    });
    await web.step();
    expect((await client.get(Deployment, web.key)).status?.collisionCount).toBe(1);
    await web.step();
    expect((await web.sets()).map(({ metadata }) => metadata.name)).not.toContain(name);
    expect(sizes(await web.sets())).toEqual([4]);
  });

  it("only updates the status of a deployment that is being deleted", async () => {
    const web = await rollout("going");
    await client.patch(Deployment, web.key, { metadata: { finalizers: ["example.com/hold"] } });
    await client.delete(Deployment, web.key);
    await web.step();
    expect(await web.sets()).toEqual([]);
    expect((await client.get(Deployment, web.key)).status?.observedGeneration).toBeGreaterThan(0);
    await client.patch(Deployment, web.key, { metadata: { finalizers: null } });
    expect(await web.step()).toBeUndefined();
  });
});
