import { expect, it } from "vitest";
import { everything } from "./contract/storage.ts";
import { MemoryStorage } from "./memory/memory-storage.ts";

it("does what the README shows", async () => {
  const storage = new MemoryStorage();
  const red = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "red", namespace: "default" } };
  const written = await storage.create("/core/configmaps/default/red", red);

  const { items, metadata } = await storage.getList("/core/configmaps/", { predicate: everything });
  expect(items[0]).toBe(written);
  expect(metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  await storage.close();
});
