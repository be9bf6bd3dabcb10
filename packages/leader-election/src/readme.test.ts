import { keyOf, notFound } from "@kubewright/apimachinery";
import type { Lease } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { Elector, LeaseLock, type LeaseLockOptions } from "./index.ts";

/** Keeps leases in memory. */
function leases(): { client: LeaseLockOptions["client"]; stored: Map<string, Lease> } {
  const stored = new Map<string, Lease>();
  const put = async (_kind: unknown, object: unknown) => {
    const lease = structuredClone(object) as Lease;
    stored.set(keyOf(lease), lease);
    return lease as never;
  };
  const get: LeaseLockOptions["client"]["get"] = async (_kind, key) => {
    const lease = typeof key === "string" ? stored.get(key) : stored.get(`${key.namespace}/${key.name}`);
    if (!lease) throw notFound({ group: "coordination.k8s.io", resource: "leases" }, String(key));
    return lease as never;
  };
  return { client: { get, create: put, update: put }, stored };
}

it("elects as the README shows", async () => {
  const { client, stored } = leases();
  const stop = new AbortController();
  const { signal } = stop;
  const log: string[] = [];

  const lock = new LeaseLock({ client, namespace: "shop", name: "shopkeeper", identity: "shopkeeper-0" });
  const elector = new Elector({ lock, releaseOnCancel: true });
  elector.events.on("elected", () => log.push("open the shop"));

  const running = elector.run(signal); // resolves when the signal aborts, rejects when leadership is lost

  await new Promise<void>((resolve) => elector.events.once("elected", resolve));
  expect(log).toEqual(["open the shop"]);
  expect(stored.get("shop/shopkeeper")?.spec).toMatchObject({ holderIdentity: "shopkeeper-0", leaseTransitions: 0 });
  stop.abort();
  await running;
  expect(stored.get("shop/shopkeeper")?.spec?.holderIdentity).toBe("");
});

it("keeps what others wrote on the lease", async () => {
  const { client, stored } = leases();
  const metadata = { name: "shopkeeper", namespace: "shop", labels: { theirs: "kept" } };
  const spec = { holderIdentity: "", preferredHolder: "x", strategy: "OldestEmulationVersion" };
  stored.set("shop/shopkeeper", { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
  const lock = new LeaseLock({
    client,
    namespace: "shop",
    name: "shopkeeper",
    identity: "shopkeeper-0",
    labels: { ours: "added" },
  });
  const { signal } = new AbortController();
  await expect(lock.update({ ...(await lock.get(signal)), holderIdentity: "a" }, signal)).resolves.toBeUndefined();
  expect(stored.get("shop/shopkeeper")).toMatchObject({
    metadata: { labels: { theirs: "kept", ours: "added" } },
    spec: { holderIdentity: "a", preferredHolder: "x", strategy: "OldestEmulationVersion" },
  });
});
