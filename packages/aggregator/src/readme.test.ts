import type { Unstructured } from "@kubewright/apimachinery";
import { AdmissionChain } from "@kubewright/apiserver/admission";
import { AllServedResources, ServingContext, serverContext } from "@kubewright/apiserver/server";
import { FakeClock } from "@kubewright/clock/testing";
import { builtinCatalogue, builtinSchema } from "@kubewright/codec/schema";
import { silentLogger } from "@kubewright/log";
import { openStorage } from "@kubewright/storage";
import { expect, it, vi } from "vitest";
import { Aggregator, type AggregatorOptions } from "./index.ts";

async function inFront(options: AggregatorOptions, signal: AbortSignal): Promise<Aggregator> {
  const aggregator = new Aggregator(options);
  void aggregator.run(signal);
  await aggregator.synced; // from here on it serves registered versions
  return aggregator;
}

/** Creates APIServices in memory. */
async function registry() {
  const clock = new FakeClock();
  const storage = await openStorage({ type: "memory" }, { clock, logger: silentLogger });
  const entry = builtinCatalogue.find(({ kind }) => kind === "APIService");
  const schema = entry && builtinSchema(entry);
  if (!entry || !schema) throw new Error("there is no such kind");
  const scope = new ServingContext({
    ...{ storage, clock, bookmarkIntervalMs: 60_000, served: new AllServedResources(), accessChecks: new Map() },
    admission: new AdmissionChain([]),
    authorize: () => ({ decision: "allow" }),
  }).scopeOf({
    ...{ ...entry, schema, strategy: {}, origin: "builtin" },
    storagePrefix: "/apiregistration.k8s.io/apiservices/",
  });
  const changed = vi.fn();
  const options: AggregatorOptions = {
    ...{ storage, clock, logger: silentLogger, scope, changed, proxyCertificate: undefined },
    identity: { names: [], prefixes: [] },
    resolveService: async () => ({ host: "127.0.0.1", port: 1 }),
  };
  return { clock, storage, scope, options };
}

const service = (name: string, spec: object): Unstructured => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name },
  spec: { version: "v1", group: "example.com", groupPriorityMinimum: 7, versionPriority: 3, ...spec },
});

it("runs the README's example: registered versions are known, and unavailable ones are reported", async () => {
  const { clock, storage, scope, options } = await registry();
  const behind = { service: { namespace: "a", name: "b", port: 443 } };
  await scope.store.create(service("v1.example.com", behind), serverContext(clock, ""));
  const stop = new AbortController();
  const aggregator = await inFront(options, stop.signal);
  expect(aggregator.versions()).toEqual([
    { group: "example.com", version: "v1", entry: { version: "v1", freshness: "Stale" } },
  ]);
  expect(aggregator.priorityOf("example.com", "v1")).toEqual({ group: 7, version: 3 });
  expect(aggregator.priorityOf("example.com", "v2")).toBeUndefined();
  const reason = async (): Promise<unknown> => {
    const { status } = await scope.store.get("", "v1.example.com");
    return (status as { conditions?: readonly { reason?: string }[] } | undefined)?.conditions?.[0]?.reason;
  };
  await vi.waitFor(async () => expect(await reason()).toBe("ServiceNotFound"));
  const { generation } = aggregator;
  await scope.store.delete("v1.example.com", { dryRun: false }, serverContext(clock, ""));
  await vi.waitFor(() => expect(aggregator.versions()).toEqual([]));
  expect(aggregator.generation).toBeGreaterThan(generation);
  stop.abort();
  await storage.close();
});
