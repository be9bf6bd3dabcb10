import { isExpired } from "@kubewright/apimachinery";
import { ListPager } from "@kubewright/cache/tools";
import { ConfigMap } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { Followed } from "./harness/followed.ts";
import { Shelf } from "./harness/shelf.ts";

onEachBed("informers and a server that forgets its history", {}, (env) => {
  it("list again if the version to watch from is gone", async () => {
    await using shelf = await Shelf.make(env(), "compacted-watch");
    await shelf.fill(0, 30);
    const { namespace } = shelf;
    await using followed = await Followed.start({ kind: ConfigMap, connection: env().connection(), namespace });

    env().faults.hang({ kind: ConfigMap, verb: "watch" });
    env().faults.cutWatches(ConfigMap);
    for (let index = 0; index < 10; index++) await shelf.drop(index);
    await shelf.fill(30, 40);
    await shelf.change(20, "green");
    await env().compact();
    await env().restart(); // kube-apiserver keeps the last changes in memory
    await env().faults.clear();

    await followed.expectCaughtUp(shelf.list);
    expect(followed.codes("watch")).toContain(410);
  });

  it("keep a running watch", async () => {
    await using shelf = await Shelf.make(env(), "compacted-running");
    await shelf.fill(0, 5);
    const { namespace } = shelf;
    await using followed = await Followed.start({ kind: ConfigMap, connection: env().connection(), namespace });

    await env().compact();
    await shelf.change(0, "green");
    await shelf.drop(1);

    await followed.expectCaughtUp(shelf.list);
    expect(followed.history.calls).toBe(7);
    expect(followed.requests.watches).toHaveLength(1);
  });

  it("request the whole list if the rest of a paginated one is gone", async () => {
    await using shelf = await Shelf.make(env(), "compacted-pages");
    await shelf.fill(0, 60);
    const { namespace } = shelf;
    await using followed = await Followed.start({
      kind: ConfigMap,
      connection: env().connection(),
      namespace,
      informer: { useWatchList: false, pageSize: 20 },
      listsFromStorage: true,
      beforeList: async (number) => {
        if (number !== 2) return;
        await shelf.drop(1);
        await shelf.change(2, "green");
        await shelf.drop(50);
        await shelf.put(60);
        await env().compact();
      },
    });

    await followed.expectCaughtUp(shelf.list);
    expect(followed.codes("list")).toEqual([410]);
    expect(followed.requests.lists.map((list) => list.continue !== undefined)).toEqual([false, true, false]);
    expect(followed.errors).toEqual([]);
  });

  it("make a pager that must not start over fail with Expired", async () => {
    await using shelf = await Shelf.make(env(), "compacted-pager");
    await shelf.fill(0, 10);
    const { client, namespace } = shelf;
    let pages = 0;
    const pager = new ListPager<ConfigMap>(
      async (request) => {
        if (++pages === 2) {
          await shelf.drop(1);
          await env().compact();
        }
        const items = await client.list(ConfigMap, { namespace, ...request });
        return { items, metadata: items.metadata };
      },
      { pageSize: 4, fullListIfExpired: false },
    );

    await expect(pager.list()).rejects.toSatisfy(isExpired);
    expect(pages).toBe(2);
  });
});
