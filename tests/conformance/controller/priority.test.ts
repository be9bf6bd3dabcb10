import { defineKind } from "@kubewright/apimachinery";
import {
  type EventHandler,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  enqueueRequestsFromMapFunc,
  kindSource,
  lowPriority,
} from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { cachedPods, Pod, pod, runningSource } from "./cached-pods.ts";
import { runningController } from "./running-controller.ts";

const Site = defineKind({ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" });
const ownerReferences = [{ apiVersion: "shop.example.com/v1", kind: "Site", name: "shop", uid: "1" }];
const byFunction: EventHandler = ({ object }, enqueue) => enqueue(object.metadata.name);

describe("priority", () => {
  it.each([
    ["object", enqueueRequestForObject()],
    ["owner", enqueueRequestForOwner(Site)],
    ["map function", enqueueRequestsFromMapFunc(({ metadata }) => [metadata.name])],
    ["function", byFunction],
  ])(
    "CT-062 queues existing objects at low priority at the start, and later ones at the default (%s)",
    async (_of, handler) => {
      expect(lowPriority).toBe(-100);
      const { pods, cache, end } = cachedPods();
      pods.add(pod("early", { ownerReferences }));
      const { clock, queued, end: stop, hasSynced } = runningSource(kindSource(cache, Pod, { handler }));
      while (!hasSynced()) await clock.advance(0);
      pods.add(pod("late", { ownerReferences }));
      while (queued.length < 2) await clock.advance(0);
      expect(queued.map(([, options]) => options?.priority)).toEqual([-100, 0]);
      await stop();
      await end();
    },
  );

  it("CT-063 queues a resync at low priority, and a change at the default", async () => {
    const { pods, cache, end } = cachedPods("a");
    const { clock, queued, end: stop, hasSynced } = runningSource(kindSource(cache, Pod, { handler: byFunction }));
    while (!hasSynced()) await clock.advance(0);
    pods.modify(pod("a", { labels: { changed: "yes" } }));
    while (queued.length < 2) await clock.advance(0);
    expect(queued[1]?.[1]?.priority).toBe(0);
    await stop();
    await end();

    const informer = {
      addHandler: (informerHandler: { updated(old: object, object: object): void | Promise<void> }) => {
        void informerHandler.updated(pod("a", { resourceVersion: "7" }), pod("a", { resourceVersion: "7" }));
        return { synced: async () => true, remove: async () => {} };
      },
    };
    const resynced = runningSource(kindSource({ getInformer: () => informer }, Pod, { handler: byFunction }));
    await resynced.clock.advance(0);
    expect(resynced.queued).toEqual([["a", expect.objectContaining({ priority: lowPriority })]]);
    await resynced.end();
  });

  it("CT-064 adds the requests of the same handlers to a plain queue", async () => {
    const { cache, end } = cachedPods("a", "b");
    const sources = [kindSource(cache, Pod, { handler: enqueueRequestForObject() })];
    const { clock, calls, end: stop } = runningController({ priority: false, sources });
    while (calls.length < 2) await clock.advance(0);
    expect(calls).toEqual(["web/a", "web/b"]);
    await stop();
    await end();
  });
});
