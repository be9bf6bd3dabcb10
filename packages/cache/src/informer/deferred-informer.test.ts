import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { unreadMemberOf } from "@kubewright/lazy-json";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import { InformerFactory } from "./informer-factory.ts";

interface Thing extends KubeObject {
  spec: { node: string; text: string };
}
const Things: Kind<Thing> = { group: "", version: "v1", kind: "Thing", plural: "things", scope: "Namespaced" };
const thing = (name: string, node: string): Thing => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name, namespace: "web", managedFields: [{ manager: "kubectl" }] },
  spec: { node, text: "x".repeat(50) },
});
const stored = (name: string, node: string) => {
  const { managedFields: _, ...metadata } = thing(name, node).metadata;
  return { ...thing(name, node), metadata };
};
const isUnread = (object: object | undefined): boolean =>
  object !== undefined && unreadMemberOf(object, 0) !== undefined;

describe("informers made from a client", () => {
  let client: FakeListWatchClient;
  let stop: AbortController;
  beforeEach(() => {
    client = new FakeListWatchClient({ supportsWatchList: true });
    stop = new AbortController();
    client.source(Things).add(thing("a", "node-1"));
  });
  afterEach(() => {
    stop.abort();
    vi.unstubAllEnvs();
  });

  const started = async (informers: InformerFactory): Promise<void> => {
    await informers.start(stop.signal);
    await informers.synced();
  };

  it("leave bodies unread, and frozen once they are read", async () => {
    const informers = new InformerFactory(client);
    const things = informers.for(Things);
    await started(informers);

    const object = things.lister.namespace("web").get("a");
    expect(isUnread(object)).toBe(true);
    expect(Object.isFrozen(object) && Object.isFrozen(object.spec)).toBe(true);
    expect(object).toStrictEqual({ ...stored("a", "node-1"), metadata: { ...object.metadata } });
  });

  it("prevent changes to shared objects, in production as well", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const informers = new InformerFactory(client);
    const things = informers.for(Things, { indexers: { byNode: ({ spec }) => [spec.node] } });
    const received: unknown[] = [];
    things.addHandler({
      added: (object) => void received.push(object),
      updated: (...both) => void received.push(...both),
    });
    await started(informers);
    client.source(Things).modify(thing("a", "node-2"));
    client.source(Things).add({ ...thing("b", "node-2"), spec: { node: "big", text: "", id: 2 ** 60 } as never });
    await expect.poll(() => received.length).toBe(4);
    const read = [...received, ...things.lister.list(), ...things.indexer.byIndex("byNode", "node-2")] as Thing[];
    expect(read).toHaveLength(7);
    for (const object of read) {
      expect(() => Object.assign(object, { spec: {} })).toThrow(TypeError);
      expect(() => Object.assign(object.spec, { node: "changed" })).toThrow(TypeError);
      expect(() => Object.assign(object.metadata, { labels: {} })).toThrow(TypeError);
    }
  });

  it("let indexes, handlers and late indexes read them", async () => {
    const informers = new InformerFactory(client, { freeze: false });
    const things = informers.for(Things, { indexers: { byNode: ({ spec }) => [spec.node] } });
    const seen: string[] = [];
    things.addHandler({ added: ({ spec }) => void seen.push(spec.node) });
    await started(informers);
    things.addIndexers({ byLength: ({ spec }) => [String(spec.text.length)] });

    expect(things.indexer.indexKeys("byNode", "node-1")).toEqual(["web/a"]);
    expect(things.indexer.indexKeys("byLength", "50")).toEqual(["web/a"]);
    await expect.poll(() => seen).toEqual(["node-1"]);
  });

  it("pass plain, fully modifiable objects to a transform", async () => {
    const informers = new InformerFactory(client);
    const transform = (object: Thing): Thing => {
      expect(isUnread(object)).toBe(false);
      object.spec.text = "short";
      object.metadata.labels = { node: object.spec.node };
      return object;
    };
    const things = informers.for(Things, { transform });
    await started(informers);

    expect(things.lister.get("web/a")).toMatchObject({
      metadata: { labels: { node: "node-1" } },
      spec: { text: "short" },
    });
  });

  it("do the same for a transform that is set later", async () => {
    const informers = new InformerFactory(client);
    const things = informers.for(Things);
    things.setTransform((object) => Object.assign(object, { spec: { node: "other", text: "" } }));
    await started(informers);

    expect(things.lister.get("web/a").spec.node).toBe("other");
  });

  it("parse everything at once if requested", async () => {
    const informers = new InformerFactory(client, { deferBodies: false });
    const things = informers.for(Things);
    await started(informers);

    expect(isUnread(things.lister.get("web/a"))).toBe(false);
  });

  it("keep the requested managedFields", async () => {
    const informers = new InformerFactory(client, { managedFields: { of: "kubectl" } });
    const things = informers.for(Things);
    await started(informers);

    expect(things.lister.get("web/a").metadata.managedFields).toEqual([{ manager: "kubectl" }]);
  });
});
