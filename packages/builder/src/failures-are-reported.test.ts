import { defineKind } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { asReconciler } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { Manager } from "@kubewright/manager";
import { afterEach, expect, it, vi } from "vitest";
import { controllerManagedBy } from "./index.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: { type: "object", properties: { image: { type: "string" } } },
});

const recording = () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  return lines;
};

afterEach(() => vi.restoreAllMocks());

it("logs a failed reconcile to standard error if no logger is given", async () => {
  await using env = await Environment.start();
  const connection = env.connection();
  const lines = recording();
  const manager = new Manager({ connection, metrics: { bindAddress: "0" } });
  controllerManagedBy(manager)
    .for(ConfigMap)
    .complete(
      asReconciler(ConfigMap, ({ metadata }) => {
        if (metadata.name === "bad") throw new Error("the shelf is empty");
      }),
    );
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await using client = new Client({ connection });
  await client.create(ConfigMap, { metadata: { name: "bad", namespace: "default" } });
  await vi.waitFor(
    () =>
      expect(lines.join("")).toMatch(
        / ERROR reconciler error: the shelf is empty controllerKind=ConfigMap controller=configmap object=default\/bad\n/,
      ),
    { timeout: 10_000 },
  );
  stop.abort();
  await running;
});

it("warns once, with the remedy, that the kind of a controller is not served, and fails with that cause", async () => {
  await using env = await Environment.start();
  const lines = recording();
  const manager = new Manager({ connection: env.connection(), metrics: { bindAddress: "0" } });
  controllerManagedBy(manager)
    .for(Site)
    .withOptions({ cacheSyncTimeoutMs: 3_000 })
    .complete(asReconciler(Site, () => {}));

  const failure = await manager.run(new AbortController().signal).catch((error: unknown) => error);
  const unserved = 'no matches for kind "Site" in version "shop.example.com/v1"';
  expect(failure).toMatchObject({
    message: expect.stringContaining("failed to wait for site caches to sync kind source: Site.shop.example.com"),
    cause: { message: expect.stringContaining(unserved) },
  });
  expect((failure as Error).message).toContain(unserved);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("WARN the kind is not served");
  expect(lines[0]).toContain(JSON.stringify(unserved).slice(0, -1));
  expect(lines[0]).toContain("is its CustomResourceDefinition installed?");
});
