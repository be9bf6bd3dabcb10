import { isNotFound, type Kind, type KubeObject, metadataOnly } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { expect, expectTypeOf, it, vi } from "vitest";
import type { Lister } from "../store/lister.ts";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import { InformerFactory, informersOf, NotSyncedError } from "./informer-factory.ts";
import type { SharedInformer } from "./shared-informer.ts";

const Pods: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

it("has one informer for a kind and a selection", () => {
  const factory = new InformerFactory(new FakeListWatchClient());
  const all = factory.for(Pods);
  expect(factory.for(Pods)).toBe(all);
  expect(factory.for(Pods, { labels: { app: "shop" } })).not.toBe(all);
  expect(factory.for(Pods, { labels: { app: "shop" } })).toBe(factory.for(Pods, { labels: { app: "shop" } }));
  expect(factory.for(Pods, { namespace: "web", fields: "metadata.name=a" }).name).toBe(
    "v1, Kind=Pod (namespace=web, fields=metadata.name=a)",
  );
});

it("adds indexes to an existing informer", () => {
  const factory = new InformerFactory(new FakeListWatchClient());
  const informer = factory.for(Pods);
  factory.for(Pods, { indexers: { byName: (object) => [object.metadata.name] } });
  expect(informer.indexer.indexNames).toEqual(["namespace", "byName"]);
});

it("starts informers that were requested later when it is started again, and each only once", async () => {
  const client = new FakeListWatchClient();
  const factory = new InformerFactory(client, { useWatchList: false });
  const stop = new AbortController();
  factory.for(Pods);
  await factory.start(stop.signal);
  const late = factory.for(Pods, { namespace: "web" });
  expect(late.hasStarted).toBe(false);
  await factory.start(stop.signal);
  await factory.synced();
  expect(late.hasSynced).toBe(true);
  expect(client.source(Pods).lists).toHaveLength(2);
  stop.abort();
  await factory.stopped();
});

it("needs a client with watch for metadata only", () => {
  const factory = new InformerFactory(new FakeListWatchClient());
  expect(() => factory.for(metadataOnly(Pods))).toThrow("metadataOnly kinds require a client with `watch`");
});

const forbidden = new Error("pods is forbidden");

it("reports why informers did not sync: the last error of their watch is the cause", async () => {
  const client = new FakeListWatchClient();
  client.source(Pods).failNextLists(new Error("no route"), forbidden, forbidden);
  const clock = new FakeClock();
  const factory = new InformerFactory(client, { clock, logger: silentLogger, useWatchList: false });
  const stop = new AbortController();
  factory.for(Pods);
  await factory.start(stop.signal);
  const over = new AbortController();
  const synced = factory.synced(over.signal).catch((error: unknown) => error);
  await clock.advance(2_000);
  over.abort(new Error("waited long enough"));

  const error = await synced;
  expect(error).toBeInstanceOf(NotSyncedError);
  expect(String(error)).toBe(
    "NotSyncedError: failed to sync all caches: v1, Kind=Pod: waited long enough; last error: failed to list v1, Kind=Pod: pods is forbidden",
  );
  expect(error).toMatchObject({ cause: { cause: forbidden }, reason: { message: "waited long enough" } });
  stop.abort();
  await factory.stopped();
});

it("logs to standard error if no logger is given", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const client = new FakeListWatchClient();
    client.source(Pods).failNextLists(forbidden);
    const factory = new InformerFactory(client, { clock: new FakeClock(), useWatchList: false });
    const stop = new AbortController();
    factory.for(Pods);
    await factory.start(stop.signal);
    await vi.waitFor(() =>
      expect(written.mock.calls.join("")).toMatch(
        / ERROR failed to watch: failed to list v1, Kind=Pod: pods is forbidden reflector="v1, Kind=Pod"\n/,
      ),
    );
    stop.abort();
    await factory.stopped();
  } finally {
    written.mockRestore();
  }
});

interface Network extends KubeObject {
  spec: { cidr: string };
}
const Network: Kind<Network> = {
  group: "samplecrd.k8s.io",
  version: "v1",
  kind: "Network",
  plural: "networks",
  scope: "Namespaced",
};
const Gateway: Kind = { ...Network, kind: "Gateway", plural: "gateways" };
const informers = informersOf({ samplecrd: { v1: { networks: Network, gateways: Gateway } } });

it("has an informer and a lister for each kind, and runs the requested ones", async () => {
  const client = new FakeListWatchClient();
  const factory = informers(client, { useWatchList: false });
  const { informer, lister } = factory.samplecrd.v1.networks;
  expect(factory.samplecrd.v1.networks.informer).toBe(informer);
  const stop = new AbortController();
  await factory.start(stop.signal);
  await factory.synced();
  expect(informer.hasSynced).toBe(true);
  expect(client.source(Network).lists).toHaveLength(1);
  expect(client.source(Gateway).lists).toHaveLength(0);
  expect(lister.namespace("default").list()).toEqual([]);
  expect(() => lister.namespace("default").get("a")).toThrow(expect.toSatisfy(isNotFound));
  stop.abort();
  await factory.stopped();
});

it("knows the types of its objects", () => {
  type Networks = ReturnType<typeof informers>["samplecrd"]["v1"]["networks"];
  expectTypeOf<Networks["informer"]>().toEqualTypeOf<SharedInformer<Network>>();
  expectTypeOf<Networks["lister"]>().toEqualTypeOf<Lister<Network>>();
});

it("refuses a group that would hide a method", () => {
  expect(() => informersOf({ start: {} })).toThrow('a group must not be named "start"');
});
