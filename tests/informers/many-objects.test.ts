import type { KubeObject } from "@kubewright/apimachinery";
import { metadataOnly } from "@kubewright/apimachinery";
import { ConfigMap } from "@kubewright/client/kinds";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { Followed } from "./harness/followed.ts";
import { Shelf } from "./harness/shelf.ts";

const count = 10_000;

onEachBed(`informers of ${count} ConfigMaps`, {}, (env) => {
  let shelf: Shelf;
  beforeAll(async () => {
    shelf = await Shelf.make(env(), "many");
    await shelf.fill(0, count, 64);
  }, 300_000);
  afterAll(() => shelf?.[Symbol.asyncDispose]());

  it("lists them in pages of the same moment, while they change", async () => {
    const { client, namespace } = shelf;
    const seen = new Set<string>();
    const versions = new Set<string | undefined>();
    for await (const page of client.listPages(ConfigMap, { namespace, limit: 1_500 })) {
      for (const { metadata } of page) seen.add(metadata.name);
      versions.add(page.metadata.resourceVersion);
      await shelf.change(count - 1 - seen.size / 100, `page ${versions.size}`);
      await shelf.put(count + seen.size);
    }
    expect(seen.size).toBe(count);
    expect(versions.size).toBe(1);
    for (let at = 1_500; at < count + 1_500; at += 1_500) await shelf.drop(count + Math.min(at, count));
    expect(await shelf.list()).toHaveLength(count);
  });

  it.each([
    { how: "a streaming list", informer: {}, lists: 0 },
    { how: "one list", informer: { useWatchList: false }, lists: 1 },
    { how: "pages", informer: { useWatchList: false, pageSize: 1_000 }, listsFromStorage: true, lists: 10 },
  ])("gets all of them by $how and follows changes", async ({ informer, lists, ...options }) => {
    const { namespace } = shelf;
    const connection = env().connection();
    const starting = Followed.start({ kind: ConfigMap, connection, namespace, informer, ...options });
    const changing = Promise.all(Array.from({ length: 200 }, (_, index) => shelf.change(index * 7, `${lists} a`)));
    await using followed = await starting;
    await changing;
    expect(followed.informer.indexer.list()).toHaveLength(count);
    expect(followed.requests.lists).toHaveLength(followed.requests.hasStreamingLists ? lists : Math.max(lists, 1));

    await Promise.all(Array.from({ length: 500 }, (_, index) => shelf.change(index * 3, `${lists} b`)));
    await shelf.drop(count - 1);
    await shelf.put(count - 1);
    await followed.expectCaughtUp(shelf.list);
    expect(followed.history.calls).toBeGreaterThanOrEqual(count + 500 + 2);
  });

  it("gets the metadata of all of them, and of those that a selector selects", async () => {
    const { namespace } = shelf;
    const connection = env().connection();
    const bare = async (): Promise<readonly KubeObject[]> =>
      (await shelf.list())
        .filter(({ metadata }) => metadata.labels?.half === "odd")
        .map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }));
    await using followed = await Followed.start({
      kind: metadataOnly(ConfigMap),
      connection,
      namespace,
      labels: { half: "odd" },
    });
    expect(followed.informer.indexer.list()).toHaveLength(count / 2);
    await shelf.change(1, "red");
    await shelf.drop(3);

    await followed.expectCaughtUp(bare);
    expect(followed.informer.indexer.list()).toHaveLength(count / 2 - 1);
  });
});
