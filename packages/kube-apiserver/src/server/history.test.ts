import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";
import { siteDefinition } from "./testing/site-definition.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
let clock: FakeClock;
let server: ApiServer;
let api: ApiClient;
beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.start({ tls: false, clock, compactionIntervalMs: 60_000 });
  api = new ApiClient(server);
});
afterEach(async () => {
  api.close();
  await server.stop();
});

test("going back in time removes writes and definitions, and reuses their versions", async () => {
  const { body: before } = await api.post(configMaps, configMap("a"));
  const { body: gone } = await api.post(configMaps, configMap("b"));
  await api.delete(`${configMaps}/a`);
  await server.installDefinitions([siteDefinition]);
  expect((await api.get("/apis/example.com/v1/namespaces/default/sites")).status).toBe(200);

  await server.goBackInTime(before.metadata.resourceVersion);
  api.close();
  api = new ApiClient(server);

  const names = (await api.get(configMaps)).body.items.map((item: typeof before) => item.metadata.name);
  expect(names).toEqual(["a"]);
  await expect.poll(async () => (await api.get("/apis/example.com/v1/namespaces/default/sites")).status).toBe(404);
  const { body: anew } = await api.post(configMaps, configMap("c"));
  expect(Number(anew.metadata.resourceVersion)).toBeLessThanOrEqual(Number(gone.metadata.resourceVersion));
  await server.installDefinitions([siteDefinition]);
  expect((await api.get("/apis/example.com/v1/namespaces/default/sites")).status).toBe(200);
});

test("going back ends watches; one from a nonexistent version waits, then gets an error", async () => {
  const { body: before } = await api.post(configMaps, configMap("a"));
  const { body: after } = await api.post(configMaps, configMap("b"));
  const watching = (async () => {
    for await (const _event of api.watch(`${configMaps}?watch=true&resourceVersion=${after.metadata.resourceVersion}`));
  })();
  await expect.poll(() => server.watchCount).toBe(1);
  await server.goBackInTime(before.metadata.resourceVersion);
  await watching.catch(() => undefined); // ended or dropped: either way, the watcher has to restart
  await expect.poll(() => server.watchCount).toBe(0);
});

test("going back to a compacted state fails", async () => {
  const { body: before } = await api.post(configMaps, configMap("a"));
  await api.post(configMaps, configMap("b"));
  await server.compact();
  await expect(server.goBackInTime(before.metadata.resourceVersion)).rejects.toMatchObject({ reason: "Expired" });
});

test("history is compacted after one to two intervals, and a later page gets a token to continue", async () => {
  for (const name of ["a", "b", "c"]) await api.post(configMaps, configMap(name));
  const { body: first } = await api.get(`${configMaps}?limit=1`);
  await api.post(configMaps, configMap("d"));
  await clock.advance(60_000);
  const next = `${configMaps}?limit=1&continue=${first.metadata.continue}`;
  expect((await api.get(next)).status).toBe(200);
  await clock.advance(60_000);
  await api.post(configMaps, configMap("e"));
  const { status, body } = await api.get(next);
  expect({ status, reason: body.reason }).toEqual({ status: 410, reason: "Expired" });
  expect((await api.get(`${configMaps}?continue=${body.metadata.continue}`)).body.items).toHaveLength(4);
});
