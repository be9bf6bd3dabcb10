import { ConfigMap } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { Followed } from "./harness/followed.ts";
import { Shelf } from "./harness/shelf.ts";

onEachBed("informers whose watch falls silent", {}, (env) => {
  it("replace a watch that is never answered, within the documented time", async () => {
    await using shelf = await Shelf.make(env(), "silent-request");
    await shelf.fill(0, 5);
    const { namespace } = shelf;
    const informer = { stallMs: 1_500 };
    await using followed = await Followed.start({
      kind: ConfigMap,
      connection: env().connection(),
      namespace,
      informer,
    });

    env().faults.delay({ kind: ConfigMap, verb: "watch", ms: 120_000, count: 1 });
    env().faults.cutWatches(ConfigMap);
    await expect.poll(() => followed.requests.watches.length).toBeGreaterThan(1);
    const cutAt = performance.now();
    await shelf.change(0, "green");
    await shelf.drop(1);

    await followed.expectCaughtUp(shelf.list);
    expect(performance.now() - cutAt).toBeLessThan(30_000);
    expect(followed.requests.watches.length).toBeGreaterThan(2);
    await env().faults.clear();
  });

  it("replace a watch without events, and report nothing twice", async () => {
    await using shelf = await Shelf.make(env(), "silent-stream");
    await shelf.fill(0, 5);
    const { namespace } = shelf;
    const informer = { stallMs: 300 };
    await using followed = await Followed.start({
      kind: ConfigMap,
      connection: env().connection(),
      namespace,
      informer,
    });
    await expect.poll(() => followed.requests.watches.length, { timeout: 20_000 }).toBeGreaterThan(3);
    await shelf.change(0, "green");

    await followed.expectCaughtUp(shelf.list);
    expect(followed.history.calls).toBe(6);
    expect(followed.informer.ageMs).toBeLessThan(10_000);
  });
});
