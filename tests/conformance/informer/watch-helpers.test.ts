import { expired, forbidden, internalError, type StatusError, timeout, unauthorized } from "@kubewright/apimachinery";
import { EventChannel, FakeListWatch } from "@kubewright/cache/testing";
import { informerWatch, retryWatch, type SourceEvent, UntilError, until, untilWithSync } from "@kubewright/cache/tools";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle } from "./pods.ts";
import { failing, ScriptedSource, throwing } from "./scripted-source.ts";

const added = (name: string, version: number): SourceEvent<Pod> => ({ type: "ADDED", object: pod(name, version) });

describe("retry watcher", () => {
  it("INF-140 refuses to begin without a version", () => {
    const source = new ScriptedSource({});
    expect(() => retryWatch(source, { resourceVersion: "" })).toThrow('initial RV "" is not supported');
    expect(() => retryWatch(source, { resourceVersion: "0" })).toThrow('initial RV "0" is not supported');
  });

  it("INF-141 continues the watch at the last version after any failure, without repeating or skipping events", async () => {
    const clock = new FakeClock();
    const source = new ScriptedSource({
      watches: [
        failing(new Error("unknown")),
        (channel) => {
          channel.push(added("a", 11));
          channel.end();
        },
        (channel) => {
          channel.push(added("b", 12));
          channel.fail(timeout("too slow", 0));
        },
        (channel) => {
          channel.push(added("c", 13));
          channel.fail(internalError(new Error("bad")));
        },
        (channel) => channel.push(added("d", 14)),
      ],
    });
    const stop = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of retryWatch(source, { resourceVersion: "10", clock, signal: stop.signal }))
        seen.push(event.object.metadata.name);
    })();
    await clock.advance(10_000);
    expect(seen).toEqual(["a", "b", "c", "d"]);
    expect(source.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(["10", "10", "11", "12", "13"]);
    stop.abort();
    await watching;
  });

  it("INF-142 ends with the error if watching again does not help", async () => {
    const pods = { group: "", resource: "pods" };
    for (const error of [expired("gone"), forbidden(pods, "", "no"), unauthorized()]) {
      const source = new ScriptedSource({ watches: [failing(error)] });
      const thrown = await retryWatch(source, { resourceVersion: "10", clock: new FakeClock() })
        .next()
        .catch((reason: StatusError) => reason);
      expect(thrown).toBe(error);
      expect(source.watches).toHaveLength(1);
    }
  });

  it("INF-141 retries a watch that the server refuses to open, even with 410", async () => {
    const clock = new FakeClock();
    const source = new ScriptedSource({
      watches: [throwing(expired("gone")), throwing(expired("gone")), (channel) => channel.push(added("a", 11))],
    });
    const stop = new AbortController();
    const watch = retryWatch(source, { resourceVersion: "10", clock, signal: stop.signal });
    const next = watch.next();
    await clock.advance(2_000);
    expect((await next).value).toMatchObject({ type: "ADDED" });
    expect(source.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(["10", "10", "10"]);
    stop.abort();
    await watch.return();
  });

  it("INF-143 ends at once when it is stopped, even twice, with unread events", async () => {
    const source = new ScriptedSource({
      watches: [(channel) => [11, 12, 13].map((version) => channel.push(added(`pod-${version}`, version)))],
    });
    const stop = new AbortController();
    const watch = retryWatch(source, { resourceVersion: "10", clock: new FakeClock(), signal: stop.signal });
    expect((await watch.next()).done).toBe(false);
    stop.abort();
    stop.abort();
    expect(await watch.next()).toEqual({ value: undefined, done: true });
    await watch.return();
    expect(source.watches).toHaveLength(1);
  });
});

describe("until", () => {
  it("INF-144 waits for conditions one after the other, and reports the last event if they are not met", async () => {
    const channel = new EventChannel<SourceEvent<Pod>>(undefined);
    for (const version of [1, 2, 3]) channel.push(added("a", version));
    const isVersion = (version: number) => (event: SourceEvent<Pod>) =>
      event.object.metadata.resourceVersion === String(version);
    expect(await until(channel, [isVersion(1), () => true, isVersion(3)])).toEqual(added("a", 3));

    const failed = new EventChannel<SourceEvent<Pod>>(undefined);
    failed.push(added("a", 1));
    const throws = (): never => {
      throw new Error("condition broke");
    };
    await expect(until(failed, [throws])).rejects.toThrow("condition broke");

    const stop = new AbortController();
    const waiting = new EventChannel<SourceEvent<Pod>>(stop.signal);
    waiting.push(added("a", 1));
    const unmet = until(waiting, [isVersion(2)], stop.signal).catch((reason: unknown) => reason);
    await settle();
    stop.abort();
    const error = await unmet;
    expect(error).toBeInstanceOf(UntilError);
    expect(error).toMatchObject({ reason: "timeout", lastEvent: added("a", 1) });

    const ending = new EventChannel<SourceEvent<Pod>>(undefined);
    ending.end();
    await expect(until(ending, [isVersion(2)])).rejects.toMatchObject({ reason: "closed", lastEvent: undefined });
  });

  it("INF-145 waits for the initial state if there is a precondition, which may end the wait", async () => {
    const options = { clock: new FakeClock(), useWatchList: false };
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const signal = new AbortController().signal;
    const has = (name: string) => (store: { has(key: string): boolean }) => store.has(`web/${name}`);
    expect(
      await untilWithSync<Pod>(source, [() => false], { ...options, signal, precondition: has("a") }),
    ).toBeUndefined();
    const waiting = untilWithSync<Pod>(source, [({ object }) => "spec" in object], {
      ...options,
      signal,
      precondition: has("b"),
    });
    await settle();
    source.add(pod("b", 0, { spec: { nodeName: "node-1" } }));
    expect(await waiting).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } });

    source.failNextLists(new Error("no list"));
    const stop = new AbortController();
    const unsynced = untilWithSync<Pod>(source, [], { ...options, signal: stop.signal, precondition: () => true });
    const outcome = unsynced.catch((reason: unknown) => String(reason));
    await settle();
    stop.abort();
    expect(await outcome).toContain("unable to sync caches");
    expect(source.openWatches).toBe(0);
  });

  it("INF-146 reads an informer as a watch, in order, and ends it with an event or a reader waiting", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const watch = informerWatch<Pod>(source, new AbortController().signal, { clock: new FakeClock() });
    await watch.informer.synced();
    source.modify(pod("a"));
    source.add(pod("b"));
    source.delete(pod("a"));
    await settle();
    const seen: string[] = [];
    for await (const { type, object } of watch.events) {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === 3) await watch.stop();
    }
    expect(seen).toEqual(["ADDED a", "MODIFIED a", "ADDED b"]);
    expect(namesOf(watch.informer.indexer.list())).toEqual(["b"]);

    const idle = informerWatch<Pod>(source, new AbortController().signal, { clock: new FakeClock() });
    const reading = (async () => {
      const names: string[] = [];
      for await (const { object } of idle.events) names.push(object.metadata.name);
      return names;
    })();
    await settle();
    await idle[Symbol.asyncDispose]();
    expect(await reading).toEqual(["b"]);
  });
});
