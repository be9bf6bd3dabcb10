import { DeletedFinalStateUnknown } from "@kubewright/apimachinery";
import { type Delta, DeltaFIFO, deletionHandlingKeyOf } from "@kubewright/cache/tools";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle } from "./pods.ts";

/** Returns a short description of an entry. */
function shown(delta: Delta<Pod>): string {
  if (delta.type === "replacedAll") return `replacedAll ${namesOf(delta.objects).join(",")} @${delta.resourceVersion}`;
  if (delta.type === "syncAll") return "syncAll";
  if (delta.type === "bookmark") return `bookmark @${delta.resourceVersion}`;
  const { object } = delta;
  if (object instanceof DeletedFinalStateUnknown) return `tombstone ${object.key}`;
  return `${delta.type} ${object.metadata.name} ${object.metadata.resourceVersion}`;
}

async function popAll(fifo: DeltaFIFO<Pod>): Promise<string[]> {
  const popped: string[] = [];
  while (fifo.length > 0) await fifo.pop((delta) => popped.push(shown(delta)));
  return popped;
}

describe("DeltaFIFO, the older queue", () => {
  it("INF-021 keeps each producer's order", async () => {
    const fifo = new DeltaFIFO<Pod>();
    const produce = async (name: string): Promise<void> => {
      for (let index = 0; index < 500; index++) {
        fifo.add(pod(`${name}-${index}`, index));
        if (index % 7 === 0) await settle(1);
      }
    };
    await Promise.all([produce("a"), produce("b")]);
    const names = (await popAll(fifo)).map((entry) => entry.split(" ")[1] ?? "");
    for (const producer of ["a", "b"])
      expect(names.filter((name) => name.startsWith(producer))).toEqual(
        Array.from({ length: 500 }, (_, index) => `${producer}-${index}`),
      );
  });

  it("INF-025 queues the deletion of an object that is not in the queue", async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.delete(pod("foo", 10));
    expect(await popAll(fifo)).toEqual(["deleted foo 10"]);
  });

  it("INF-033 transforms each incoming object once, and does not transform tombstones", async () => {
    let transforms = 0;
    const fifo = new DeltaFIFO<Pod>({
      transform: (object) => {
        transforms++;
        return { ...object, spec: { nodeName: "transformed" } };
      },
    });
    fifo.add(pod("a", 1));
    fifo.update(pod("a", 2));
    fifo.replace([pod("a", 3), pod("b", 3)], "3");
    expect(transforms).toBe(4);
    fifo.delete(new DeletedFinalStateUnknown("web/a", pod("a", 3)));
    expect(transforms).toBe(4);
    const nodes: unknown[] = [];
    await fifo.popBatch((deltas) => {
      for (const delta of deltas)
        if (delta.type === "added" || delta.type === "updated") nodes.push(delta.object.spec?.nodeName);
        else if (delta.type === "replacedAll") nodes.push(...delta.objects.map((object) => object.spec?.nodeName));
    });
    expect(nodes).toEqual(["transformed", "transformed", "transformed", "transformed"]);
  });

  it("INF-034 has keys for objects and tombstones", () => {
    expect(deletionHandlingKeyOf(pod("a"))).toBe("web/a");
    expect(deletionHandlingKeyOf(new DeletedFinalStateUnknown("web/b", pod("b")))).toBe("web/b");
    expect(() => new DeltaFIFO<object>().add({})).toThrow("couldn't create key");
  });

  it("INF-035 INF-045 releases ten waiting consumers when it is closed", async () => {
    const fifo = new DeltaFIFO<Pod>();
    const waiting = Array.from({ length: 10 }, () => fifo.pop(() => {}));
    await settle(1);
    fifo.close();
    expect(await Promise.all(waiting)).toEqual(Array(10).fill(false));
    expect(fifo.isClosed).toBe(true);
  });
});

describe("DeltaFIFO, in order", () => {
  it("INF-036 delivers every event separately, without merging", async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.add(pod("foo", 10));
    fifo.update(pod("foo", 15));
    fifo.delete(pod("foo", 20));
    expect(await popAll(fifo)).toEqual(["added foo 10", "updated foo 15", "deleted foo 20"]);
  });

  it("INF-037 delivers events of different objects in the order of arrival", async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.add(pod("foo", 10));
    fifo.add(pod("bar", 1));
    fifo.update(pod("foo", 11));
    fifo.update(pod("foo", 13));
    fifo.add(pod("zab", 30));
    expect(await popAll(fifo)).toEqual([
      "added foo 10",
      "added bar 1",
      "updated foo 11",
      "updated foo 13",
      "added zab 30",
    ]);
    fifo.update(pod("foo", 14));
    expect(await popAll(fifo)).toEqual(["updated foo 14"]);
  });

  it("INF-038 also queues the deletion of an unknown object", async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.delete(pod("unknown", 10));
    expect(fifo.length).toBe(1);
    expect(await popAll(fifo)).toEqual(["deleted unknown 10"]);
  });

  it("INF-042 transforms on entry, and leaves tombstones unchanged", async () => {
    const fifo = new DeltaFIFO<Pod>({ transform: (object) => pod(object.metadata.name, 99) });
    fifo.add(pod("a", 1));
    fifo.delete(pod("a", 2));
    fifo.delete(new DeletedFinalStateUnknown("web/a", pod("a", 1)));
    expect(await popAll(fifo)).toEqual(["added a 99", "deleted a 99", "tombstone web/a"]);
  });

  it("INF-044 has synced when everything queued at the end of the first replacement has been popped", async () => {
    const fifo = new DeltaFIFO<Pod>();
    expect(fifo.hasSynced).toBe(false);
    fifo.replace([pod("a", 1), pod("a", 2), pod("b", 1)], "2");
    fifo.update(pod("b", 3));
    expect(fifo.hasSynced).toBe(false);
    const flags: boolean[] = [];
    await fifo.pop((_, isInInitialList) => {
      flags.push(isInInitialList);
      expect(fifo.hasSynced).toBe(false);
    });
    expect(fifo.hasSynced).toBe(true);
    await fifo.pop((_, isInInitialList) => flags.push(isInInitialList));
    expect(flags).toEqual([true, false]);
    fifo.replace([], "4");
    expect(fifo.hasSynced).toBe(true);
  });

  it("INF-046 pops as many of the first events as the limit allows, in order", async () => {
    const fifo = new DeltaFIFO<Pod>();
    for (let index = 0; index < 2_500; index++) fifo.add(pod(`pod-${index}`, index));
    const sizes: number[] = [];
    const names: string[] = [];
    while (fifo.length > 0)
      await fifo.popBatch((deltas) => {
        sizes.push(deltas.length);
        for (const delta of deltas) names.push(shown(delta).split(" ")[1] ?? "");
      });
    expect(sizes).toEqual([1_000, 1_000, 500]);
    expect(names).toEqual(Array.from({ length: 2_500 }, (_, index) => `pod-${index}`));
    for (let index = 0; index < 5; index++) fifo.add(pod(`pod-${index}`, index));
    await fifo.popBatch((deltas) => sizes.push(deltas.length), 2);
    expect(sizes.at(-1)).toBe(2);
  });

  it("INF-047 queues a replacement as one event, in its place, and several separately", async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.add(pod("a", 1));
    fifo.replace([pod("b", 2), pod("c", 2)], "2");
    fifo.replace([], "3");
    fifo.replace([pod("d", 4)], "4");
    fifo.bookmark("5");
    expect(await popAll(fifo)).toEqual([
      "added a 1",
      "replacedAll b,c @2",
      "replacedAll  @3",
      "replacedAll d @4",
      "bookmark @5",
    ]);
  });

  it("INF-048 queues a resync as one marker, after everything that waits", async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.add(pod("a", 1));
    fifo.resync();
    fifo.add(pod("b", 2));
    expect(await popAll(fifo)).toEqual(["added a 1", "syncAll", "added b 2"]);
  });
});
