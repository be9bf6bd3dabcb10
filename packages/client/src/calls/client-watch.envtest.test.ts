import { isExpired, isInvalid, isNotFound, metadataOnly } from "@kubewright/apimachinery";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigMap, Namespace } from "../kinds/index.ts";
import { hasWatchLists } from "../testing/watch-lists.ts";
import { isInitialEventsEnd } from "../watch/watch.ts";
import { Client } from "./client.ts";

describe("watches on an API server", () => {
  let env: Environment;
  let client: Client;

  beforeAll(async () => {
    env = await Environment.start();
    client = new Client({ connection: env.connection() });
  });
  afterAll(async () => {
    await client?.close();
    await env?.stop();
  });

  const inNewNamespace = async (): Promise<string> =>
    (await client.create(Namespace, { metadata: { generateName: "test-" } })).metadata.name;

  it("watches from a list onwards", async () => {
    const namespace = await inNewNamespace();
    await client.create(ConfigMap, { metadata: { name: "a", namespace } });
    const { metadata } = await client.list(ConfigMap, { namespace });
    const changes: string[] = [];
    const watching = (async () => {
      for await (const { type, object } of client.watch(ConfigMap, {
        namespace,
        resourceVersion: metadata.resourceVersion,
        bookmarks: false,
      })) {
        changes.push(`${type} ${"name" in object.metadata ? object.metadata.name : ""}`);
        if (type === "DELETED") break;
      }
    })();
    const made = await client.create(ConfigMap, { metadata: { name: "b", namespace }, data: { text: "ü🚀" } });
    await client.patch(ConfigMap, made, { data: { text: "other" } });
    await client.delete(ConfigMap, made);
    await watching;
    expect(changes).toEqual(["ADDED b", "MODIFIED b", "DELETED b"]);
  });

  it("watches from the beginning with a streaming list, or reports that the server has none", async () => {
    const namespace = await inNewNamespace();
    await client.create(ConfigMap, { metadata: { name: "a", namespace } });
    const initial: string[] = [];
    const watch = async (): Promise<void> => {
      for await (const event of client.watch(ConfigMap, { namespace, sendInitialEvents: true })) {
        if (isInitialEventsEnd(event)) break;
        if ("name" in event.object.metadata) initial.push(event.object.metadata.name);
      }
    };
    if (!(await hasWatchLists(client))) return expect(watch()).rejects.toSatisfy(isInvalid);
    await watch();
    expect(initial).toEqual(["a"]);
  });

  it("reports an expired resource version and a broken connection", async () => {
    const namespace = await inNewNamespace();
    const seen = async (resourceVersion?: string): Promise<void> => {
      for await (const _ of client.watch(ConfigMap, { namespace, resourceVersion }));
    };
    const { metadata } = await client.list(ConfigMap, { namespace });

    const expiring = seen(metadata.resourceVersion);
    await expect.poll(() => env.faults.expireWatches(ConfigMap)).toBe(1);
    await expect(expiring).rejects.toSatisfy(isExpired);

    const breaking = seen(metadata.resourceVersion);
    await expect.poll(() => env.faults.cutWatches(ConfigMap)).toBe(1);
    await expect(breaking).rejects.toThrow(/^watch ConfigMap: GET https:/);
  });

  it("can watch, patch and delete metadata-only kinds, but not create or update them", async () => {
    const namespace = await inNewNamespace();
    const boxes = metadataOnly(ConfigMap);
    await client.create(ConfigMap, { metadata: { name: "a", namespace }, data: { k: "1" } });
    const patched = await client.patch(boxes, `${namespace}/a`, { metadata: { labels: { x: "y" } } });
    expect(Object.keys(patched).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(patched).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { labels: { x: "y" } } });
    for await (const event of client.watch(boxes, { namespace })) {
      expect(event).toEqual({ type: "ADDED", object: patched });
      break;
    }
    await expect(client.update(boxes, patched)).rejects.toThrow("cannot update ConfigMap using only metadata");
    await expect(client.create(boxes, { metadata: { name: "b", namespace } })).rejects.toThrow("using only metadata");
    expect((await client.get(ConfigMap, `${namespace}/a`)).data).toEqual({ k: "1" });
    await client.delete(boxes, patched);
    await expect(client.get(boxes, `${namespace}/a`)).rejects.toSatisfy(isNotFound);
  });

  it("holds many watches at once", async () => {
    const aborter = new AbortController();
    const watched = Array.from({ length: 60 }, () => {
      const { promise: delivered, resolve } = Promise.withResolvers<void>();
      const ended = (async () => {
        for await (const _ of client.watch(Namespace, { signal: aborter.signal })) resolve();
      })();
      return { delivered: Promise.race([delivered, ended]), ended };
    });
    try {
      await Promise.all(watched.map(({ delivered }) => delivered)); // however long a busy machine takes for 60 connections
      expect((await client.get(Namespace, "default")).metadata.name).toBe("default");
    } finally {
      aborter.abort();
      await Promise.all(watched.map(({ ended }) => ended));
    }
  });
});
