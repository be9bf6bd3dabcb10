import { MemoryStorage } from "@kubewright/storage";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";
import { siteDefinition } from "./testing/site-definition.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const sites = "/apis/example.com/v1/namespaces/default/sites";

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

/** As etcd while it starts anew. An unhandled rejection would fail the run. */
function fail(times: number, method: "getList" | "count", prefix: string): void {
  const real = MemoryStorage.prototype[method] as (...call: unknown[]) => Promise<never>;
  let left = times;
  vi.spyOn(MemoryStorage.prototype, method).mockImplementation(async function (
    this: MemoryStorage,
    ...call: unknown[]
  ) {
    if (left === 0 || !String(call[0]).startsWith(prefix)) return real.apply(this, call);
    left--;
    throw new Error("14 UNAVAILABLE: no connection");
  });
}

it("definitions are followed again after a read of them failed", async () => {
  const { resourceVersion } = (await api.get("/api/v1/namespaces")).body.metadata;
  fail(1, "getList", "/apiextensions.k8s.io/customresourcedefinitions/");
  await server.goBackInTime(resourceVersion);
  api.close(); // its connections were dropped
  api = new ApiClient(server);
  await api.post(definitions, siteDefinition);
  await expect.poll(async () => (await api.get(sites)).status).toBe(200);
});

it("a definition that could not be looked at is served a little later", async () => {
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

it("a deleted definition goes although the removal of its instances failed at first", async () => {
  await api.post(definitions, siteDefinition);
  await expect.poll(async () => (await api.get(sites)).status).toBe(200);
  await api.post(sites, { apiVersion: "example.com/v1", kind: "Site", metadata: { name: "a" } });
  fail(3, "count", "/example.com/sites/");
  await api.delete(`${definitions}/sites.example.com`);
  await expect.poll(async () => (await api.get(`${definitions}/sites.example.com`)).status).toBe(404);
});
