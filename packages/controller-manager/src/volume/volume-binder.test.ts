import { isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { PersistentVolume, PersistentVolumeClaim, Pod, StatefulSet, StorageClass } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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
const hostPath = (name: string, storage: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    capacity: { storage },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: `/${name}` },
    storageClassName: "manual",
    ...spec,
  },
});
const claimOf = (name: string, storage: string, storageClassName = "manual", spec: object = {}) => ({
  metadata: { name, namespace },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, storageClassName, ...spec },
});
const phaseOfClaim = async (name: string) =>
  (await client.get(PersistentVolumeClaim, { namespace, name })).status?.phase;
const phaseOfVolume = async (name: string) => (await client.get(PersistentVolume, name)).status?.phase;

describe("claims and volumes", () => {
  it("are bound to each other, and a retained volume outlives its claim", async () => {
    await client.create(PersistentVolumeClaim, claimOf("early", "1Gi"));
    await soon(async () => expect(await phaseOfClaim("early")).toBe("Pending"));
    await client.create(PersistentVolume, hostPath("kept", "2Gi"));
    await soon(async () => expect(await phaseOfClaim("early")).toBe("Bound"));
    const { spec, status } = await client.get(PersistentVolumeClaim, { namespace, name: "early" });
    expect(spec.volumeName).toBe("kept");
    expect(status?.capacity).toEqual({ storage: "2Gi" });
    await soon(async () => expect(await phaseOfVolume("kept")).toBe("Bound"));

    await client.delete(PersistentVolumeClaim, { namespace, name: "early" });
    await soon(async () => expect(await phaseOfVolume("kept")).toBe("Released"));
  });

  it("are created by the default class, and deleted with it", async () => {
    await soon(() => client.get(StorageClass, "standard"));
    const { storageClassName: _, ...spec } = claimOf("made", "3Gi").spec;
    await client.create(PersistentVolumeClaim, { metadata: { name: "made", namespace }, spec });
    await soon(async () => expect(await phaseOfClaim("made")).toBe("Bound"));
    const { volumeName = "" } = (await client.get(PersistentVolumeClaim, { namespace, name: "made" })).spec;
    await client.delete(PersistentVolumeClaim, { namespace, name: "made" });
    await soon(async () => {
      await expect(client.get(PersistentVolume, volumeName)).rejects.toSatisfy(isNotFound);
    });
  });

  it("become Lost without their volumes", async () => {
    await client.create(PersistentVolume, hostPath("brief", "1Gi", { storageClassName: "brief" }));
    await client.create(PersistentVolumeClaim, claimOf("bereft", "1Gi", "brief"));
    await soon(async () => expect(await phaseOfClaim("bereft")).toBe("Bound"));
    await client.delete(PersistentVolume, "brief");
    await client.patch(PersistentVolume, "brief", { metadata: { finalizers: null } });
    await soon(async () => expect(await phaseOfClaim("bereft")).toBe("Lost"));
  });
});

describe("a pod", () => {
  const using = (claimName: string) => ({
    containers: [{ name: "main", image: "web" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  });

  it("waits for its claim, and a claim may wait for its pod", async () => {
    await client.create(StorageClass, {
      metadata: { name: "lazy" },
      provisioner: "sim.kubewright.dev/volumes",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    await client.create(Pod, { metadata: { name: "consumer", namespace }, spec: using("late") });
    await soon(async () => {
      const { status } = await client.get(Pod, { namespace, name: "consumer" });
      const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
      expect(scheduled?.message).toContain('persistentvolumeclaim "late" not found');
    });
    await client.create(PersistentVolumeClaim, claimOf("late", "1Gi", "lazy"));
    await soon(async () =>
      expect((await client.get(Pod, { namespace, name: "consumer" })).status?.phase).toBe("Running"),
    );
    const volumes = await client.list(PersistentVolume);
    const [made] = volumes.filter(({ spec }) => spec.claimRef?.name === "late");
    expect(made?.spec.nodeAffinity?.required?.nodeSelectorTerms).toHaveLength(1);
  });

  it("creates its ephemeral claim", async () => {
    const volumeClaimTemplate = { spec: claimOf("scratch", "1Gi", "standard").spec };
    const spec = { ...using(""), volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate } }] };
    await client.create(Pod, { metadata: { name: "brings", namespace }, spec });
    await soon(async () =>
      expect((await client.get(Pod, { namespace, name: "brings" })).status?.phase).toBe("Running"),
    );
    await client.delete(Pod, { namespace, name: "brings" });
    await soon(async () => {
      const claim = client.get(PersistentVolumeClaim, { namespace, name: "brings-scratch" });
      await expect(claim).rejects.toSatisfy(isNotFound);
    });
  });
});

it("the claims of a stateful set are deleted if its policy says so", async () => {
  const labels = { app: "kept" };
  await client.create(StatefulSet, {
    metadata: { name: "kept", namespace },
    spec: {
      serviceName: "kept",
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "web" }] } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimOf("data", "1Gi", "standard").spec }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
    },
  });
  const claims = async () =>
    (await client.list(PersistentVolumeClaim, { namespace }))
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith("data-kept"));
  await soon(async () =>
    expect((await client.get(StatefulSet, { namespace, name: "kept" })).status?.readyReplicas).toBe(2),
  );
  await client.patch(StatefulSet, { namespace, name: "kept" }, { spec: { replicas: 1 } });
  await soon(async () => expect(await claims()).toEqual(["data-kept-0"]));
  await client.delete(StatefulSet, { namespace, name: "kept" });
  await soon(async () => expect(await claims()).toEqual([]));
});
