import { CrdController } from "@kubewright/apiextensions";
import { WatchedObjects } from "@kubewright/apiserver/admission";
import type { ServingContext } from "@kubewright/apiserver/server";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import { MemoryStorage } from "@kubewright/storage";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PolicyStatusController } from "../post-start/policy-status-controller.ts";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";
import { siteDefinition } from "./testing/site-definition.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const sites = "/apis/example.com/v1/namespaces/default/sites";
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

afterEach(() => void vi.restoreAllMocks());

const { getList, count, watch } = MemoryStorage.prototype;
const real = { getList, count, watch };

/**
 * Fails like a restarting etcd. An unhandled rejection would fail the run. @returns the number of requests since then, whether or not
 * they received a response
 */
function fail(times: number, method: keyof typeof real, prefix: string): { readonly asked: number } {
  const answer = real[method] as (...call: unknown[]) => never;
  const seen = { asked: 0 };
  vi.spyOn(MemoryStorage.prototype, method).mockImplementation(function (this: MemoryStorage, ...call: unknown[]) {
    if (!String(call[0]).startsWith(prefix) || ++seen.asked > times) return answer.apply(this, call);
    const error = new Error("14 UNAVAILABLE: no connection");
    if (method === "watch") throw error;
    return Promise.reject(error) as never;
  });
  return seen;
}

it("followers of objects continue after failed reads", async () => {
  const storage = new MemoryStorage();
  await storage.create("/core/configmaps/default/a", structuredClone(configMap));
  const watches = fail(3, "watch", "/core/configmaps/");
  const followed = new WatchedObjects(storage, "/core/configmaps/", (object) => object, systemClock);
  const stopping = new AbortController();
  const running = followed.run(stopping.signal);
  await expect.poll(() => followed.all.length).toBe(1);
  expect(watches.asked).toBe(4);
  fail(1_000, "watch", "/");
  stopping.abort();
  await running;
});

it("controllers of the server continue after failed reads, and end without an error", async () => {
  const storage = new MemoryStorage();
  const context = { storage, clock: systemClock } as unknown as ServingContext; // nothing else is needed without CRDs
  const server = undefined as unknown as ConstructorParameters<typeof CrdController>[1];
  const stopping = new AbortController();
  const lists = fail(3, "getList", "/apiextensions.k8s.io/");
  const definitions = new CrdController(context, server, undefined as never, silentLogger);
  const running = [definitions.run(stopping.signal)];
  await definitions.synced;
  expect(lists.asked).toBe(4);
  const watches = fail(3, "watch", "/admissionregistration.k8s.io/");
  running.push(new PolicyStatusController(context, server, silentLogger).run(stopping.signal));
  await expect.poll(() => watches.asked).toBeGreaterThan(3);
  fail(1_000, "getList", "/");
  fail(1_000, "watch", "/");
  stopping.abort();
  await Promise.all(running);
});

it("a watch that cannot start fails without side effects", async () => {
  const storage = new MemoryStorage();
  await storage.create("/core/configmaps/default/a", structuredClone(configMap));
  const predicate = {
    isEmpty: false,
    matches: () => {
      throw new Error("no such field");
    },
  };
  const stopping = new AbortController();
  const ahead = { predicate, sendInitialEvents: true, resourceVersion: "3", signal: stopping.signal };
  const events = storage.watch("/core/configmaps/", ahead)[Symbol.asyncIterator]();
  const first = events.next();
  await storage.create("/core/secrets/default/a", structuredClone(configMap));
  await expect(first).rejects.toThrow("no such field");
});

describe("a server whose storage is temporarily unavailable", () => {
  let server: ApiServer;
  let api: ApiClient;
  beforeEach(async () => {
    server = await ApiServer.start({ tls: false });
    api = new ApiClient(server);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    api.close();
    await server.stop();
  });

  it("follows definitions again after a failed read", async () => {
    const { resourceVersion } = (await api.get("/api/v1/namespaces")).body.metadata;
    fail(1, "getList", "/apiextensions.k8s.io/customresourcedefinitions/");
    await server.goBackInTime(resourceVersion);
    api.close(); // its connections were closed
    api = new ApiClient(server);
    await api.post(definitions, siteDefinition);
    await expect.poll(async () => (await api.get(sites)).status).toBe(200);
  });

  it("serves a definition later if it could not be read", async () => {
    await api.post(definitions, {
      ...siteDefinition,
      metadata: { name: "others.example.com" },
      spec: { ...siteDefinition.spec, names: { plural: "others", kind: "Other" } },
    });
    await expect.poll(async () => (await api.get(sites.replace("sites", "others"))).status).toBe(200);
    fail(1, "getList", "/apiextensions.k8s.io/customresourcedefinitions/");
    await api.post(definitions, siteDefinition);
    await expect.poll(async () => (await api.get(sites)).status).toBe(200);
  });

  it("deletes a definition even if removing its instances failed first", async () => {
    await api.post(definitions, siteDefinition);
    await expect.poll(async () => (await api.get(sites)).status).toBe(200);
    await api.post(sites, { apiVersion: "example.com/v1", kind: "Site", metadata: { name: "a" } });
    fail(3, "count", "/example.com/sites/");
    await api.delete(`${definitions}/sites.example.com`);
    await expect.poll(async () => (await api.get(`${definitions}/sites.example.com`)).status).toBe(404);
  });
});
