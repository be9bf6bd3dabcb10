import type { Kind } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { InformerFactory } from "./informer-factory.ts";
import { metadataOnly } from "./metadata-only.ts";
import { FakeListWatchClient } from "./testing/fake-list-watch-client.ts";

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

it("adds indexes to an informer that is there", () => {
  const factory = new InformerFactory(new FakeListWatchClient());
  const informer = factory.for(Pods);
  factory.for(Pods, { indexers: { byName: (object) => [object.metadata.name] } });
  expect(informer.indexer.indexNames).toEqual(["namespace", "byName"]);
});

it("starts informers that were asked for later when it is started again, and each once", async () => {
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

it("needs a whole client for metadata alone", () => {
  const factory = new InformerFactory(new FakeListWatchClient());
  expect(() => factory.for(metadataOnly(Pods))).toThrow("only be asked for with a whole client");
});
