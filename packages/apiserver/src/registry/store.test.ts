import type { Unstructured } from "@kubewright/apimachinery";
import type { Storage } from "@kubewright/storage";
import { dryRunStorage, MemoryStorage } from "@kubewright/storage";
import { describe, expect, it } from "vitest";
import { Store } from "./store.ts";
import { thingResource } from "./testing/thing-resource.ts";

const key = "/core/things/default/web";
const resource = thingResource({ gracePeriodSeconds: () => 0 });
const context = {
  user: { name: "u", groups: [] },
  nowMs: 0,
  namespace: "default",
  dryRun: false,
  warn() {},
};
const thing = (): Unstructured => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "web", namespace: "default" },
});

/** Like etcd: each caller gets its own copy of an object. */
const copying = (storage: MemoryStorage): Storage => ({
  versioner: storage.versioner,
  create: (...call) => storage.create(...call),
  delete: (...call) => storage.delete(...call),
  get: async (...call) => structuredClone(await storage.get(...call)),
  getList: (...call) => storage.getList(...call),
  guaranteedUpdate: async (...call) => structuredClone(await storage.guaranteedUpdate(...call)),
  watch: (...call) => storage.watch(...call),
  count: (...call) => storage.count(...call),
  compact: (...call) => storage.compact(...call),
  currentResourceVersion: () => storage.currentResourceVersion(),
});

describe("Store.delete of a kind with grace, none left", () => {
  const storeOn = (storage: Storage) => new Store(resource, storage, dryRunStorage(storage));

  it("removes the object, even if the storage returns copies", async () => {
    const storage = copying(new MemoryStorage());
    const store = storeOn(storage);
    await store.create(thing(), context);
    expect(await store.delete("web", { dryRun: false }, context)).toMatchObject({ gone: true });
    expect(await storage.get(key, { ignoreNotFound: true })).toBeUndefined();
  });

  it("leaves the object to a writer that changed it after it was marked", async () => {
    const storage = copying(new MemoryStorage());
    const store = storeOn(storage);
    await store.create(thing(), context);
    const deleting = store.delete("web", { dryRun: false }, context);
    const isMarked = async () => (await storage.get(key))?.metadata.deletionTimestamp !== undefined;
    while (!(await isMarked()));
    const held = (current: unknown): { object: Unstructured } => {
      const { metadata, ...rest } = current as Unstructured;
      return { object: { ...rest, metadata: { ...metadata, finalizers: ["example.com/hold"] } } };
    };
    await storage.guaranteedUpdate(key, {}, held);
    await deleting;
    expect(await storage.get(key)).toMatchObject({ metadata: { finalizers: ["example.com/hold"] } });
  });

  it("removes nothing in a dry run", async () => {
    const storage = copying(new MemoryStorage());
    const store = storeOn(storage);
    await store.create(thing(), context);
    await store.delete("web", { dryRun: true }, { ...context, dryRun: true });
    expect((await storage.get(key))?.metadata).not.toHaveProperty("deletionTimestamp");
  });
});
