import {
  type DeepReadonly,
  joinKey,
  type Kind,
  type KubeObject,
  metadataOnly,
  type Stored,
} from "@kubewright/apimachinery";
import { kubeList, type Reader } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import { InformerCache, type InformerCacheOptions } from "./informer-cache.ts";

const Pods: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

const pod = (name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", uid: `uid-${name}`, ...metadata },
});

async function running(cacheOptions: Pick<InformerCacheOptions, "namespaces" | "transform"> = {}) {
  const clock = new FakeClock();
  const client = new FakeListWatchClient();
  const server = client.source(Pods);
  server.add(pod("first"));
  const cache = new InformerCache({ client, clock, useWatchList: false, logger: silentLogger, ...cacheOptions });
  const stop = new AbortController();
  const ended = cache.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { cache, server, clock, end };
}

/** State of a promise after all pending work has run. */
async function stateOf(promise: Promise<boolean>, clock: FakeClock): Promise<boolean | "waits"> {
  let state: boolean | "waits" = "waits";
  void promise.then((outcome) => {
    state = outcome;
  });
  await clock.advance(0);
  return state;
}

it("waits until the object that a write returned is shown", async () => {
  const { cache, server, clock, end } = await running();
  await cache.list(Pods);
  const written = server.addUnseen(pod("new"));
  const caughtUp = cache.caughtUp(Pods, written);
  expect(await stateOf(caughtUp, clock)).toBe("waits");
  server.send({ type: "ADDED", object: written });
  expect(await caughtUp).toBe(true);
  expect((await cache.get(Pods, "web/new")).metadata.uid).toBe("uid-new");
  expect(await cache.caughtUp(Pods, written)).toBe(true);
  await end();
});

it("accepts a newer version of the object or of the whole kind", async () => {
  const { cache, server, clock, end } = await running();
  await cache.list(Pods);
  const written = server.modifyUnseen(pod("first", { labels: { a: "1" } }));
  const byObject = cache.caughtUp(Pods, written);
  server.modify(pod("first", { labels: { a: "2" } }));
  expect(await byObject).toBe(true);
  const other = server.addUnseen(pod("short-lived"));
  const byVersion = cache.caughtUp(Pods, other);
  expect(await stateOf(byVersion, clock)).toBe("waits");
  server.bookmark();
  expect(await byVersion).toBe(true);
  await end();
});

it.each<[string, NonNullable<InformerCacheOptions["transform"]>]>([
  [
    "in place",
    (object) => {
      for (const field of ["resourceVersion", "uid", "deletionTimestamp"])
        Reflect.deleteProperty(object.metadata, field);
      return object;
    },
  ],
  [
    "in a copy",
    (object) => ({ ...object, metadata: { name: object.metadata.name, namespace: object.metadata.namespace ?? "" } }),
  ],
])("sees writes by the received metadata, even if a transform drops it %s", async (_, transform) => {
  const { cache, server, clock, end } = await running({ transform });
  expect((await cache.get(Pods, "web/first")).metadata).toEqual({ name: "first", namespace: "web" });

  const updated = server.modify(pod("first", { labels: { a: "1" } }));
  expect(await stateOf(cache.caughtUp(Pods, updated), clock)).toBe(true);
  const created = server.add(pod("second"));
  expect(await stateOf(cache.caughtUp(Pods, created.metadata.resourceVersion ?? ""), clock)).toBe(true);
  const unseen = server.modifyUnseen(pod("first", { labels: { a: "2" } }));
  expect(await stateOf(cache.caughtUp(Pods, unseen), clock)).toBe("waits");

  const ofFirst = () => cache.expectations.ofDeletion(Pods, "web/first", "uid-first");
  const [deletion] = ofFirst();
  expect([deletion?.isMet, cache.expectations.ofDeletion(Pods, "web/first", "another")[0]?.isMet]).toEqual([
    false,
    true,
  ]);
  expect(
    cache.expectations
      .ofDeletions(Pods, {})
      .get("web/first")
      ?.map(({ isMet }) => isMet),
  ).toEqual([false]);
  server.modify(pod("first", { deletionTimestamp: "2026-01-01T00:00:00Z" }));
  await clock.advance(0);
  expect(deletion?.isMet).toBe(true);
  await end();
});

it("waits for a version of the whole kind, in every namespace that is kept", async () => {
  const { cache, server, clock, end } = await running({ namespaces: ["web", "db"] });
  await cache.list(Pods);
  const { metadata } = server.add(pod("new"));
  const caughtUp = cache.caughtUp(Pods, metadata.resourceVersion ?? "");
  expect(await stateOf(caughtUp, clock)).toBe("waits"); // the informer of db has received nothing
  server.bookmark();
  expect(await caughtUp).toBe(true);
  await end();
});

it("gives up on timeout or if the signal aborts", async () => {
  const { cache, server, clock, end } = await running();
  await cache.list(Pods);
  const written = server.addUnseen(pod("new"));
  const late = cache.caughtUp(Pods, written);
  await clock.advance(9_999);
  expect(await stateOf(late, clock)).toBe("waits");
  await clock.advance(1);
  expect(await late).toBe(false);
  const stop = new AbortController();
  const aborted = cache.caughtUp(Pods, written, { signal: stop.signal, timeoutMs: 60_000 });
  stop.abort();
  expect(await aborted).toBe(false);
  await end();
});

it("counts unread kinds and objects that are not kept as caught up, and starts no informer", async () => {
  const { cache, server, end } = await running({ namespaces: ["web"] });
  const written = server.addUnseen(pod("new"));
  expect(await cache.caughtUp(Pods, written)).toBe(true);
  expect(server.lists).toEqual([]);
  cache.configure(Pods, { labels: { tier: "front" }, fields: { "spec.nodeName": "" } });
  await cache.list(Pods);
  expect(await cache.caughtUp(Pods, server.addUnseen(pod("other")))).toBe(true);
  expect(await cache.caughtUp(Pods, server.addUnseen(pod("far", { namespace: "db" })))).toBe(true);
  const kept = server.addUnseen(pod("kept", { labels: { tier: "front" } }));
  expect(cache.expectations.ofWrite(Pods, kept).map(({ isMet }) => isMet)).toEqual([false]);
  await end();
});

it("waits for the event that takes an object out of a selection", async () => {
  const { cache, server, end } = await running();
  cache.configure(Pods, { labels: { tier: "front" } });
  await cache.list(Pods);
  const present = server.add(pod("first", { labels: { tier: "front" } }));
  expect(await cache.caughtUp(Pods, present)).toBe(true);
  const moved = server.modifyUnseen(pod("first", { labels: { tier: "back" } }));
  const [expectation] = cache.expectations.ofWrite(Pods, moved);
  expect(expectation?.isMet).toBe(false);
  server.send({ type: "DELETED", object: moved });
  expect(await expectation?.met()).toBe(true);
  await end();
});

it("treats a version that cannot be compared as only as new as itself", async () => {
  const { cache, server, end } = await running();
  await cache.list(Pods);
  const written = pod("first", { resourceVersion: "b" });
  const [expectation] = cache.expectations.ofWrite(Pods, written);
  expect(expectation?.isMet).toBe(false);
  server.send({ type: "MODIFIED", object: pod("first", { resourceVersion: "a" }) });
  server.send({ type: "MODIFIED", object: written });
  expect(await expectation?.met()).toBe(true);
  await end();
});

it("expects after a deletion that the object is terminating, deleted or replaced", async () => {
  const { cache, server, clock, end } = await running();
  const [going, gone, again, unwatched] = ["going", "gone", "again", "unheard"].map((name) => joinKey("web", name));
  for (const name of ["going", "gone", "again"]) server.add(pod(name));
  await cache.list(Pods);
  const isMet = (): (boolean | undefined)[] => expected.map(([expectation]) => expectation?.isMet);
  const expected = [going, gone, again, unwatched].map((key) => cache.expectations.ofDeletion(Pods, key ?? ""));
  expect(isMet()).toEqual([false, false, false, undefined]);
  server.modify(pod("going", { deletionTimestamp: "2026-01-01T00:00:00Z" }));
  server.delete(pod("gone"));
  server.modify(pod("again", { uid: "another" }));
  await clock.advance(0);
  expect(isMet()).toEqual([true, true, true, undefined]);
  expect(cache.expectations.ofDeletion(Pods, "web/unheard", "uid")[0]?.isMet).toBe(true);
  await end();
});

it("expects the object to be deleted after a write that removed the last finalizer", async () => {
  const { cache, server, end } = await running();
  const terminating = { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 };
  const held = server.add(pod("held", { ...terminating, finalizers: ["ours"] }));
  await cache.list(Pods);
  const { finalizers: _, ...metadata } = held.metadata;
  const released = cache.caughtUp(Pods, { metadata }); // the version from before the write, as some servers return
  server.delete(held);
  expect(await released).toBe(true);
  expect(cache.expectations.ofWrite(Pods, held)[0]?.isMet).toBe(true);
  await end();
});

it("expects the deletion of every known object of a selection", async () => {
  const { cache, server, end } = await running();
  for (const name of ["a", "b"]) server.add(pod(name, { labels: { app: "shop" } }));
  await cache.list(Pods);
  const expected = cache.expectations.ofDeletions(Pods, { namespace: "web", labels: { app: "shop" } });
  expect([...expected.keys()]).toEqual(["web/a", "web/b"]);
  const named = cache.expectations.ofDeletions(Pods, { fields: "metadata.name!=first", labels: "app" });
  expect([...named.keys()]).toEqual(["web/a", "web/b"]);
  const written = server.addUnseen(pod("new"));
  expect(cache.expectations.ofWrite(metadataOnly(Pods), written)).toHaveLength(1); // through whichever view it was written
  await end();
});

it("answers live queries like its own, including those by its indexes", async () => {
  const { cache, server, end } = await running();
  cache.indexField(Pods, "app", ({ metadata }) => [metadata.labels?.app ?? ""]);
  await cache.list(Pods);
  server.addUnseen(pod("a", { labels: { app: "shop" } }));
  server.addUnseen(pod("b", { labels: { app: "shop" } }));
  const asked: unknown[] = [];
  const live = cache.liveReader({
    get: async () => pod("first") as never,
    list: async (_kind, { fields, limit } = {}) => {
      asked.push({ fields, limit });
      return Object.assign([...server.objects], { metadata: {} }) as never;
    },
  });
  expect(await cache.list(Pods, { fields: { app: "shop" } })).toHaveLength(0);
  const selected = await live.list(Pods, { fields: { app: "shop", "metadata.namespace": "web" }, limit: 1 });
  expect(selected.map(({ metadata }) => metadata.name)).toEqual(["a"]);
  expect(selected.metadata.continue).toBe("continue-not-supported"); // "b" is left out
  await expect(live.list(Pods, { fields: { app: "shop" }, continue: "token" })).rejects.toThrow('continue: "token"');
  expect(await live.list(Pods, { limit: 5 })).toHaveLength(3);
  expect(asked).toEqual([
    { fields: { "metadata.namespace": "web" }, limit: undefined },
    { fields: undefined, limit: 5 },
  ]);
  expect((await live.get(Pods, "web/first")).metadata.name).toBe("first");
  await end();
});

it("expects nothing from informers that have stopped", async () => {
  const { cache, server, end } = await running();
  await cache.list(Pods);
  const [expectation] = cache.expectations.ofWrite(Pods, server.addUnseen(pod("new")));
  const met = expectation?.met();
  await end();
  expect(await met).toBe(true);
  expect(await expectation?.met()).toBe(true);
});

it("lists objects whose current version it does not show, and deleted ones that it still shows", async () => {
  const { cache, server, end } = await running();
  const listed: KubeObject[] = [];
  const live: Reader = {
    get: () => Promise.reject(new Error("not called")),
    list: async <T extends KubeObject>() => kubeList([...listed] as Stored<DeepReadonly<T>>[], {}),
  };
  expect(await cache.behind(live)).toEqual([]); // no informer yet
  const first = await cache.get(Pods, "web/first");
  listed.push(first as KubeObject);
  expect(await cache.behind(live)).toEqual([]);
  const written = server.addUnseen(pod("new"));
  listed.push(written);
  expect(await cache.behind(live)).toEqual(["v1, Kind=Pod web/new"]);
  server.send({ type: "ADDED", object: written });
  expect(await cache.caughtUp(Pods, written)).toBe(true);
  expect(await cache.behind(live)).toEqual([]);
  listed.splice(0, 1, server.modifyUnseen(pod("first", { labels: { a: "1" } })));
  listed.pop();
  expect(await cache.behind(live)).toEqual(["v1, Kind=Pod web/first", "v1, Kind=Pod web/new"]);
  await end();
});

it("is delivering while a handler has not ended with a change", async () => {
  const { cache, server, clock, end } = await running();
  const gate = Promise.withResolvers<void>();
  cache
    .getInformer(Pods)
    .addHandler({ added: ({ metadata }) => (metadata.name === "slow" ? gate.promise : undefined) });
  await cache.list(Pods);
  expect(cache.inspect()).toMatchObject([{ isDelivering: false }]);
  server.add(pod("slow"));
  await clock.advance(0);
  expect(cache.inspect()).toMatchObject([{ isDelivering: true, objects: 2 }]);
  gate.resolve();
  await clock.advance(0);
  expect(cache.inspect()).toMatchObject([{ isDelivering: false }]);
  await end();
});
