import { isNotFound, type Kind, metadataOnly, type Stored, unstructured } from "@kubewright/apimachinery";
import { InformerFactory, Lister } from "@kubewright/cache";
import { Indexer } from "@kubewright/cache/tools";
import { Client } from "@kubewright/client";
import { afterEach, describe, expect, it } from "vitest";
import { MetadataServer } from "./metadata-server.ts";
import { namesOf, type Pod, pod, storedPod } from "./pods.ts";

const Pods = unstructured({ apiVersion: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" });
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function informing(kind: Kind, options: { supportsWatchList: boolean; namespace?: string }) {
  const server = new MetadataServer(options);
  server.send("ADDED", pod("a", 0, { spec: { nodeName: "never sent" } }));
  const client = new Client({ connection: { server: await server.start() } });
  cleanups.push(
    () => server.stop(),
    () => client.close(),
  );
  const factory = new InformerFactory(client, { namespace: options.namespace });
  const informer = factory.for(metadataOnly(kind));
  const received: string[] = [];
  informer.addHandler({
    added: (object) => void received.push(`+${object.metadata.name}`),
    updated: (_, object) => void received.push(`~${object.metadata.name}`),
    deleted: (object) => void received.push(`-${object.metadata.name}`),
  });
  const stop = new AbortController();
  await factory.start(stop.signal);
  cleanups.push(async () => {
    stop.abort();
    await factory.stopped();
  });
  await factory.synced();
  return { server, informer, received };
}

const eventually = async (claim: () => boolean): Promise<void> => {
  while (!claim()) await new Promise((resolve) => setImmediate(resolve));
};

describe("metadata-only and dynamic informers", () => {
  it("INF-147 report additions, updates and deletions with partial objects of one resource and namespace", async () => {
    const { server, informer, received } = await informing(Pods, { supportsWatchList: true, namespace: "web" });
    await eventually(() => server.requests.length > 0);
    server.send("ADDED", pod("b"));
    server.send("MODIFIED", pod("b", 0, { labels: { app: "shop" } }));
    server.send("DELETED", pod("b"));
    await eventually(() => received.length === 4);
    expect(received).toEqual(["+a", "+b", "~b", "-b"]);
    expect(informer.indexer.get("web/a")).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: expect.objectContaining({ name: "a", namespace: "web" }),
    });
    expect(server.requests[0]?.path).toBe("/api/v1/namespaces/web/pods");
    expect(server.requests.every(({ accept }) => accept?.includes("as=PartialObjectMetadata"))).toBe(true);
  });

  it("INF-148 list one namespace, select by labels, and throw for a missing name", () => {
    const store = new Indexer<Stored<Pod>>({ indexers: { namespace: (object) => [object.metadata.namespace ?? ""] } });
    for (const name of ["a", "b"]) store.add(storedPod(name, 1, { labels: { name } }));
    store.add(storedPod("a", 1, { namespace: "db", labels: { name: "a" } }));
    const lister = new Lister<Pod>(store, Pods);
    expect(lister.list()).toHaveLength(3);
    expect(namesOf(lister.namespace("web").list())).toEqual(["a", "b"]);
    expect(namesOf(lister.namespace("web").list({ labels: { name: "b" } }))).toEqual(["b"]);
    expect(lister.list({ labels: "name=a" })).toHaveLength(2);
    expect(lister.namespace("db").get("a").metadata.namespace).toBe("db");
    expect(lister.get("web/b").metadata.name).toBe("b");
    const missing = (): unknown => {
      try {
        return lister.namespace("db").get("b");
      } catch (error) {
        return isNotFound(error);
      }
    };
    expect(missing()).toBe(true);
  });

  it("INF-149 sync from one watch if the server can stream, otherwise from a list", async () => {
    const streamed = await informing(Pods, { supportsWatchList: true });
    expect(streamed.server.requests.map(({ query }) => [query.watch, query.sendInitialEvents])).toEqual([
      ["true", "true"],
    ]);
    const listed = await informing(Pods, { supportsWatchList: false });
    await eventually(() => listed.server.requests.length === 3);
    expect(listed.server.requests.map(({ query }) => [query.watch, query.sendInitialEvents])).toEqual([
      ["true", "true"],
      [undefined, undefined],
      ["true", undefined],
    ]);
    expect(namesOf(listed.informer.indexer.list())).toEqual(["a"]);
  });
});
