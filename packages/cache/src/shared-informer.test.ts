import type { KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { SharedInformer } from "./shared-informer.ts";
import { FakeListWatch } from "./testing/fake-list-watch.ts";

const pod = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", labels },
});

for (const supportsWatchList of [false, true]) {
  it(`keeps a copy and tells handlers, ${supportsWatchList ? "streaming" : "listing"} the first state`, async () => {
    const clock = new FakeClock();
    const source = new FakeListWatch<KubeObject>({ supportsWatchList });
    source.add(pod("a"));
    const informer = new SharedInformer(source, { clock });
    const seen: string[] = [];
    const registration = informer.addHandler({
      added: (object, isInInitialList) => void seen.push(`added ${object.metadata.name} ${isInInitialList}`),
      updated: (old, object) =>
        void seen.push(`updated ${old.metadata.resourceVersion} ${object.metadata.resourceVersion}`),
      deleted: (object, isUnknown) => void seen.push(`deleted ${object.metadata.name} ${isUnknown}`),
    });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    expect(await registration.synced()).toBe(true);
    source.add(pod("b"));
    source.modify(pod("a", { changed: "yes" }));
    source.delete(pod("b"));
    await clock.advance(0);
    source.deleteUnseen(pod("a"));
    source.addUnseen(pod("c"));
    source.resetWatches();
    await clock.advance(10_000);
    stop.abort();
    await running;
    expect(seen).toEqual([
      "added a true",
      "added b false",
      "updated 1 3",
      "deleted b false",
      "deleted a true",
      "added c false",
    ]);
    expect(
      informer.lister
        .namespace("web")
        .list()
        .map((object) => object.metadata.name),
    ).toEqual(["c"]);
    expect(source.openWatches).toBe(0);
  });
}
