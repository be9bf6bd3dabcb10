import process from "node:process";
import { ConfigMap } from "@kubewright/client/kinds";
import type { Faults } from "@kubewright/envtest";
import { expect, it } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { Followed } from "./harness/followed.ts";
import { randomFrom } from "./harness/random.ts";
import { Shelf } from "./harness/shelf.ts";

const seed = Number(process.env.INFORMERS_SEED ?? Date.now() % 1_000_000);
const rounds = 80;

onEachBed("informers whose streams are cut at random", {}, (env) => {
  it(`lose nothing and report a legal history (INFORMERS_SEED=${seed})`, async () => {
    const random = randomFrom(seed);
    await using shelf = await Shelf.make(env(), "cut");
    await shelf.fill(0, 30);
    const { namespace } = shelf;
    const connection = env().connection();
    await using streaming = await Followed.start({ kind: ConfigMap, connection, namespace });
    const informer = { useWatchList: false, pageSize: 10 };
    await using listing = await Followed.start({ kind: ConfigMap, connection, namespace, informer });

    // Some seeds cause no other expiry that a watch notices.
    env().faults.expireWatches(ConfigMap);
    await expect.poll(() => [...streaming.codes("watch"), ...listing.codes("watch")]).toContain(410);

    const present = new Set(Array.from({ length: 30 }, (_, index) => index));
    let next = 30;
    for (let round = 0; round < rounds; round++) {
      const [index = 0] = [...present].slice(random.below(present.size));
      const what = random.below(4);
      if (what === 0) {
        present.add(next);
        await shelf.put(next++);
      } else if (what === 1 && present.size > 5) {
        present.delete(index);
        await shelf.drop(index);
      } else {
        await shelf.change(index, String(round));
      }
      if (random.below(3) === 0) trouble(env().faults, random.below(6));
      if (round % 10 !== 9) continue;
      await streaming.expectCaughtUp(shelf.list);
      await listing.expectCaughtUp(shelf.list);
    }
    await env().faults.clear();

    await streaming.expectCaughtUp(shelf.list);
    await listing.expectCaughtUp(shelf.list);
  });
});

/** Causes a fault on watches; requests that change something are not affected. */
function trouble(faults: Faults, which: number): void {
  if (which === 0) faults.cutWatches();
  else if (which === 1) faults.cutWatches(ConfigMap);
  else if (which === 2) faults.expireWatches(ConfigMap);
  else if (which === 3) {
    faults.failNext({ kind: ConfigMap, verb: "watch", status: 500, count: 2 });
    faults.cutWatches(ConfigMap);
  } else if (which === 4) {
    faults.failNext({ kind: ConfigMap, verb: "watch", status: 429, retryAfterSeconds: 1 });
    faults.failNext({ kind: ConfigMap, verb: "list", status: 503 });
    faults.expireWatches(ConfigMap);
  } else {
    faults.delay({ kind: ConfigMap, verb: "watch", ms: 50, count: 2 });
    faults.cutWatches(ConfigMap);
  }
}
