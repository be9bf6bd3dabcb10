import { expired, internalError, type KubeObject, keyOf, tooManyRequests } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FakeListWatch } from "../testing/fake-list-watch.ts";
import { SharedInformer } from "./shared-informer.ts";

const pod = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "web" } });
const cutOff = (): Error => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
const refused = (): Error => Object.assign(new Error("refused"), { code: "ECONNREFUSED" });

type Source = FakeListWatch<KubeObject>;

/** Possible faults, and how often each occurred. */
const faults = {
  cut: (source: Source) => source.failWatches(cutOff()),
  end: (source: Source) => source.cutWatches(),
  expire: (source: Source) => source.resetWatches(),
  expireWithin: (source: Source) => source.failWatches(expired("too old resource version")),
  stall: (source: Source) => source.stallWatches(),
  refuseWatches: (source: Source) => source.failNextWatches(refused(), tooManyRequests("slow down", 1)),
  breakWatches: (source: Source) => source.failNextWatches(internalError(new Error("bad")), new Error("not JSON")),
  breakLists: (source: Source) => source.failNextLists(internalError(new Error("bad")), expired("gone"), refused()),
  staleBookmark: (source: Source) =>
    source.send({
      type: "BOOKMARK",
      object: { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion: String(Math.max(1, source.version - 3)) } },
    }),
  // A restored server whose version is past the last known one is indistinguishable from the old server: the informer is therefore in sync
  // before, and has time to notice after.
  restore: async (source: Source, clock: FakeClock) => {
    for (const name of ["a", "b"]) source.add(pod(name));
    await clock.advance(300_000);
    source.restore(source.objects.slice(1), source.version - 2);
    await clock.advance(300_000);
  },
} satisfies Record<string, (source: Source, clock: FakeClock) => void | Promise<void>>;

type Fault = keyof typeof faults;
const faultNames = Object.keys(faults) as Fault[];

function change(source: Source, name: string, isDeletion: boolean): void {
  const exists = source.objects.some(({ metadata }) => metadata.name === name);
  if (!exists) source.add(pod(name));
  else if (isDeletion) source.delete(pod(name));
  else source.modify(pod(name));
}

/** Records all notifications, and those that no handler should receive. */
function historian(informer: SharedInformer<KubeObject>) {
  const known = new Map<string, unknown>();
  const versionIn = (object: unknown): unknown => (object as KubeObject | undefined)?.metadata.resourceVersion;
  const illegal: string[] = [];
  informer.addHandler({
    added: (object) => {
      if (known.has(keyOf(object))) illegal.push(`added ${keyOf(object)} twice`);
      known.set(keyOf(object), object);
    },
    updated: (old, object) => {
      if (versionIn(known.get(keyOf(object))) !== versionIn(old))
        illegal.push(`updated ${keyOf(object)} from another state than the one reported`);
      known.set(keyOf(object), object);
    },
    deleted: (object) => {
      if (!known.delete(keyOf(object))) illegal.push(`deleted ${keyOf(object)} that was not known`);
    },
  });
  return { known, illegal };
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("change" as const),
      name: fc.constantFrom("a", "b", "c", "d"),
      isDeletion: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("fault" as const), fault: fc.constantFrom(...faultNames) }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("wait" as const), ms: fc.constantFrom(0, 0, 900, 5_000, 130_000) }),
  },
);

it("ends up equal to the server after any faults, and reports a legal history", async () => {
  const struck = new Map<Fault, number>(faultNames.map((name) => [name, 0]));
  const property = fc.asyncProperty(
    fc.boolean(),
    fc.array(step, { maxLength: 25 }),
    async (supportsWatchList, steps) => {
      const source: Source = new FakeListWatch({ supportsWatchList });
      source.add(pod("a"));
      const clock = new FakeClock();
      const informer = new SharedInformer(source, { clock });
      const { known, illegal } = historian(informer);
      const stop = new AbortController();
      const running = informer.run(stop.signal);
      for (const each of steps) {
        if (each.op === "change") change(source, each.name, each.isDeletion);
        else if (each.op === "wait") await clock.advance(each.ms);
        else {
          struck.set(each.fault, (struck.get(each.fault) ?? 0) + 1);
          await faults[each.fault](source, clock);
        }
      }
      await clock.advance(600_000);
      const expected = source.objects.map((object) => `${keyOf(object)} ${object.metadata.resourceVersion}`).sort();
      const shown = (objects: Iterable<unknown>): string[] =>
        [...objects]
          .map((object) => `${keyOf(object as KubeObject)} ${(object as KubeObject).metadata.resourceVersion}`)
          .sort();
      expect(shown(informer.indexer.list())).toEqual(expected);
      expect(shown(known.values())).toEqual(expected);
      expect(illegal).toEqual([]);
      stop.abort();
      await running;
      expect([clock.waiting, source.openWatches]).toEqual([0, 0]);
    },
  );
  await fc.assert(property, { numRuns: 1_000, seed: 1_964 });
  expect([...struck].filter(([, count]) => count === 0)).toEqual([]);
});
