import { byObject, InformerCache, isResourceNotCachedError } from "@kubewright/cache";
import { aroundWrites, Client, type Fence } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { Cluster } from "./cluster.ts";

it("applies the interceptor of the given client to the writes of all its clients", async () => {
  const fence: Fence = { check: () => {}, signal: new AbortController().signal, refused: () => new Error("refused") };
  const seen: string[] = [];
  await using client = new Client({ connection: { server: "http://127.0.0.1:1" } });
  const around = aroundWrites(client, async (call) => {
    seen.push(`${call.verb} ${call.object?.metadata.name}`);
    throw new Error("not today");
  });
  const cluster = new Cluster({ client: around, fence, logger: silentLogger, clock: systemClock });
  const { client: cached, apiReader, unfenced } = cluster;
  for (const writer of [cached, apiReader, unfenced.client, unfenced.apiReader])
    await expect(writer.delete(ConfigMap, "web/a")).rejects.toThrow("not today");
  expect(seen).toEqual(["delete a", "delete a", "delete a", "delete a"]);
});

it("makes a cache with the given options, and refuses options for an existing one", async () => {
  await using client = new Client({ connection: { server: "http://127.0.0.1:1" } });
  const settings = { client, logger: silentLogger, clock: systemClock };
  const cluster = new Cluster({ ...settings, cacheOptions: { readerFailOnMissingInformer: true } });
  await expect(cluster.client.list(ConfigMap)).rejects.toSatisfy(isResourceNotCachedError);
  const wrong = { kinds: [byObject(ConfigMap, { resyncMs: -1 })] };
  expect(() => new Cluster({ ...settings, cacheOptions: wrong })).toThrow(
    "v1, Kind=ConfigMap: resyncMs: -1 is not a valid period",
  );
  const cache = new InformerCache({ client, logger: silentLogger });
  expect(() => new Cluster({ ...settings, cache, cacheOptions: {} })).toThrow("cacheOptions: has no effect");
});
