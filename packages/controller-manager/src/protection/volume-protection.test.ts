import { isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@kubewright/client/kinds";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type PlaneAndClient, startPlaneAndClient } from "../testing/plane-and-client.ts";
import { VolumeAttributesClass } from "./volume-protection.ts";

let bed: PlaneAndClient;
let client: Client;
beforeAll(async () => {
  bed = await startPlaneAndClient();
  client = bed.client;
});
afterAll(() => bed?.stop());

const soon = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 8_000, interval: 20 });
const gone = (lookup: () => Promise<unknown>): Promise<void> =>
  soon(async () => {
    await expect(lookup()).rejects.toSatisfy(isNotFound);
  });
const namespace = "default";
const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

it("keeps a claim as long as a pod uses it, and a volume as long as it is bound", async () => {
  const key = { namespace, name: "data" };
  await client.create(PersistentVolumeClaim, { metadata: key, spec });
  await client.create(Pod, {
    metadata: { namespace, name: "user" },
    spec: {
      containers: [{ name: "main", image: "web" }],
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  await soon(async () => expect((await client.get(Pod, { namespace, name: "user" })).status?.phase).toBe("Running"));
  await soon(async () => expect(await unused(key)).toEqual(["False", "PodUsingPVC"]));
  const { volumeName = "" } = (await client.get(PersistentVolumeClaim, key)).spec;
  await client.delete(PersistentVolume, volumeName);
  await client.delete(PersistentVolumeClaim, key);
  expect((await client.get(PersistentVolumeClaim, key)).metadata.deletionTimestamp).toBeDefined();
  expect((await client.get(PersistentVolume, volumeName)).metadata.deletionTimestamp).toBeDefined();

  await client.delete(Pod, { namespace, name: "user" });
  await gone(() => client.get(PersistentVolumeClaim, key));
  await gone(() => client.get(PersistentVolume, volumeName));
});

/** Returns status and reason of a claim's condition `Unused`. */
async function unused(key: { readonly namespace: string; readonly name: string }) {
  const { conditions = [] } = (await client.get(PersistentVolumeClaim, key)).status ?? {};
  return conditions.filter(({ type }) => type === "Unused").flatMap(({ status, reason }) => [status, reason]);
}

it("reports since when no pod uses a claim", async () => {
  const key = { namespace, name: "idle" };
  await client.create(PersistentVolumeClaim, { metadata: key, spec });
  const user = { containers: [{ name: "main", image: "web" }], terminationGracePeriodSeconds: 0 };
  const volumes = [{ name: "idle", persistentVolumeClaim: { claimName: "idle" } }];
  await client.create(Pod, { metadata: { namespace, name: "first" }, spec: { ...user, volumes } });
  await soon(async () => expect(await unused(key)).toEqual(["False", "PodUsingPVC"]));
  await client.delete(Pod, { namespace, name: "first" });
  await soon(async () => expect(await unused(key)).toEqual(["True", "NoPodsUsingPVC"]));
  const [condition] = (await client.get(PersistentVolumeClaim, key)).status?.conditions ?? [];
  expect(condition).toMatchObject({ message: "No pods are currently referencing this PVC" });
  const ageMs = Date.now() - Date.parse(String(condition?.lastTransitionTime));
  expect(ageMs).toBeLessThan(60_000);
  await client.create(Pod, {
    metadata: { namespace, name: "waiting" },
    spec: { ...user, volumes, nodeSelector: { no: "node" } },
  });
  await soon(async () => expect(await unused(key)).toEqual(["False", "PodUsingPVC"]));
  await client.delete(Pod, { namespace, name: "waiting" });
  await client.delete(PersistentVolumeClaim, key);
});

it("keeps an attributes class as long as a claim or volume refers to it", async () => {
  const gold = { metadata: { name: "gold" }, driverName: "example.com/driver", parameters: { tier: "gold" } };
  await client.create(VolumeAttributesClass, gold);
  await soon(async () => {
    const { finalizers } = (await client.get(VolumeAttributesClass, "gold")).metadata;
    expect(finalizers).toEqual(["kubernetes.io/vac-protection"]);
  });
  const key = { namespace, name: "golden" };
  const asked = { ...spec, storageClassName: "nobody", volumeAttributesClassName: "gold" };
  await client.create(PersistentVolumeClaim, { metadata: key, spec: asked });
  await client.delete(VolumeAttributesClass, "gold");
  expect((await client.get(VolumeAttributesClass, "gold")).metadata.deletionTimestamp).toBeDefined();

  await client.delete(PersistentVolumeClaim, key);
  await gone(() => client.get(VolumeAttributesClass, "gold"));
});
