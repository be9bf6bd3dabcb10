import { ConfigMap } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { Followed } from "./harness/followed.ts";
import { Shelf } from "./harness/shelf.ts";

onEachBed("informers and a server that restarts", {}, (env) => {
  it("continue after the restart, and report nothing twice", async () => {
    await using shelf = await Shelf.make(env(), "restart-on");
    await shelf.fill(0, 20);
    const { namespace } = shelf;
    await using followed = await Followed.start({ kind: ConfigMap, connection: env().connection(), namespace });

    for (const round of [1, 2]) {
      await env().restart();
      await shelf.list(); // a read notices that the old connection is gone; a write would not be retried
      await shelf.change(round, "green");
      await shelf.drop(10 + round);
      await shelf.put(20 + round);
      await followed.expectCaughtUp(shelf.list);
    }
    expect(followed.history.calls).toBe(20 + 2 * 3);
  });

  it("find out what changed while they were disconnected, across a restart that dropped the history", async () => {
    await using shelf = await Shelf.make(env(), "restart-off");
    await shelf.fill(0, 20);
    const { namespace } = shelf;
    await using followed = await Followed.start({ kind: ConfigMap, connection: env().connection(), namespace });

    // Without a streaming list, an informer has synced before its watch begins.
    await shelf.change(3, "red");
    await followed.expectCaughtUp(shelf.list);
    env().faults.hang({ kind: ConfigMap, verb: "watch" });
    expect(env().faults.cutWatches(ConfigMap)).toBe(1);
    await shelf.change(0, "green");
    await shelf.drop(1);
    await shelf.drop(2);
    await shelf.put(2); // the new object of the same name is another one
    await shelf.put(20);
    await env().restart();
    await env().faults.clear();

    await followed.expectCaughtUp(shelf.list);
    expect(followed.codes("watch")).toContain(410);
  });

  it("start while the server is down, as soon as it is back", async () => {
    await using shelf = await Shelf.make(env(), "restart-first");
    await shelf.fill(0, 5);
    await env().faults.refuseConnections();
    const { namespace } = shelf;
    const starting = Followed.start({ kind: ConfigMap, connection: env().connection(), namespace });
    await env().restart();
    await env().faults.clear();

    await using followed = await starting;
    await followed.expectCaughtUp(shelf.list);
    expect(followed.requests.watches.length).toBeGreaterThan(1);
  });
});
