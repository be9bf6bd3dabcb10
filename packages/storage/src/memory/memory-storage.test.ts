import type { Unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { dryRunStorage } from "../contract/dry-run-storage.ts";
import type { SelectionPredicate, StorageEvent, StorageListOptions, StorageWatchOptions } from "../contract/storage.ts";
import { isStorageError } from "../contract/storage-error.ts";
import { MemoryStorage } from "./memory-storage.ts";

const everything: SelectionPredicate = { isEmpty: true, matches: () => true };
const labelled = (value: string): SelectionPredicate => ({
  isEmpty: false,
  matches: (object) => object.metadata.labels?.app === value,
});
const prefix = "/core/configmaps/";
const key = (name: string): string => `${prefix}default/${name}`;
const object = (name: string, app?: string): Unstructured => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...(app ? { labels: { app } } : {}) },
});

async function code(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "none";
  } catch (error) {
    return isStorageError(error) ? error.reason : String(error);
  }
}

function watch(storage: MemoryStorage, options: Partial<StorageWatchOptions> = {}) {
  const stop = new AbortController();
  const watching = storage.watch(prefix, { predicate: everything, signal: stop.signal, ...options });
  const reading = watching[Symbol.asyncIterator]();
  /** Reads all available events. */
  const ready = async (): Promise<string[]> => {
    const seen: string[] = [];
    const nothing = new Promise<undefined>((resolve) => setImmediate(() => setImmediate(() => resolve(undefined))));
    for (;;) {
      const next = await Promise.race([reading.next(), nothing]);
      if (!next || next.done) return seen;
      seen.push(shown(next.value));
    }
  };
  return { stop: () => stop.abort(), ready, watching };
}

const shown = (event: StorageEvent): string =>
  event.type === "BOOKMARK" ? `BOOKMARK ${event.resourceVersion}` : `${event.type} ${event.object.metadata.name}`;

const list = async (storage: MemoryStorage, options: Partial<StorageListOptions> = {}) => {
  const { items, metadata } = await storage.getList(prefix, { predicate: everything, ...options });
  return { names: items.map((item) => item.metadata.name), metadata };
};

describe("MemoryStorage", () => {
  it("numbers every write of every kind with one counter", async () => {
    const storage = new MemoryStorage();
    const first = await storage.create(key("a"), object("a"));
    const second = await storage.create("/core/secrets/default/b", object("b"));
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1);
    expect(await code(storage.create(key("a"), object("a")))).toBe("KeyExists");
  });

  it("returns frozen objects", async () => {
    const stored = await new MemoryStorage().create(key("a"), object("a"));
    expect(Object.isFrozen(stored.metadata)).toBe(true);
  });

  it("writes nothing if an update changes nothing", async () => {
    const storage = new MemoryStorage();
    const stored = await storage.create(key("a"), object("a"));
    const { ready } = watch(storage, { resourceVersion: stored.metadata.resourceVersion ?? "" });
    const same = await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a") }));
    expect(same).toBe(stored);
    expect(await ready()).toEqual([]);
  });

  it("calls again with the new state after a conflicting write", async () => {
    const storage = new MemoryStorage();
    await storage.create(key("a"), object("a"));
    const seen: (string | undefined)[] = [];
    await storage.guaranteedUpdate(key("a"), {}, async (current) => {
      seen.push(current?.metadata.labels?.app);
      if (seen.length === 1) await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a", "other") }));
      return { object: object("a", "mine") };
    });
    expect(seen).toEqual([undefined, "other"]);
  });

  it("lists by namespace and name, page by page, in the state of the first page", async () => {
    const storage = new MemoryStorage();
    for (const name of ["c", "a", "b"]) await storage.create(key(name), object(name));
    const first = await list(storage, { limit: 2 });
    await storage.delete(key("c"));
    await storage.create(key("d"), object("d"));
    const second = await list(storage, { continue: first.metadata.continue ?? "" });
    expect([first.names, second.names]).toEqual([["a", "b"], ["c"]]);
    expect(first.metadata.remainingItemCount).toBe(1);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it("lists names with any characters, even after U+E000", async () => {
    const storage = new MemoryStorage();
    const names = ["a", "\u{e000}", "\uff21bc", "\u{1f600}"];
    for (const name of names) await storage.create(key(name), object(name));
    await storage.create("/core/configmapsx/default/other", object("other"));
    const { items } = await storage.getList(`${prefix}default/`, { predicate: everything });
    expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(new Set(names));
    expect(await storage.count(prefix)).toBe(4);
    expect(await storage.count(`${prefix}default/a`)).toBe(1);
  });

  it("continues with the newest state if the snapshot of a page was compacted", async () => {
    const storage = new MemoryStorage();
    for (const name of ["a", "b"]) await storage.create(key(name), object(name));
    const first = await list(storage, { limit: 1 });
    await storage.create(key("c"), object("c"));
    await storage.compact(String(storage.currentResourceVersion()));
    const error = await list(storage, { continue: first.metadata.continue ?? "" }).catch((e: unknown) => e);
    if (!isStorageError(error, "Expired")) throw error;
    expect((await list(storage, { continue: error.continue ?? "" })).names).toEqual(["b", "c"]);
  });

  it("shows a past state exactly", async () => {
    const storage = new MemoryStorage();
    await storage.create(key("a"), object("a"));
    const then = await storage.create(key("b"), object("b"));
    await storage.delete(key("a"));
    await storage.guaranteedUpdate(key("b"), {}, () => ({ object: object("b", "new") }));
    const past = await list(storage, {
      resourceVersion: then.metadata.resourceVersion ?? "",
      resourceVersionMatch: "Exact",
    });
    expect(past.names).toEqual(["a", "b"]);
  });

  it("answers 410 for a compacted position, as an error after the start", async () => {
    const storage = new MemoryStorage({ historyLength: 2 });
    for (const name of ["a", "b", "c", "d"]) await storage.create(key(name), object(name));
    const { watching } = watch(storage, { resourceVersion: "2" });
    await expect(watching[Symbol.asyncIterator]().next()).rejects.toThrow("too old resource version: 2 (4)");
  });

  it("starts a watch with the current state, or after a version", async () => {
    const storage = new MemoryStorage();
    const { metadata } = await storage.create(key("a"), object("a"));
    await storage.create(key("b"), object("b"));
    expect(await watch(storage).ready()).toEqual(["ADDED a", "ADDED b"]);
    expect(await watch(storage, { resourceVersion: metadata.resourceVersion ?? "" }).ready()).toEqual(["ADDED b"]);
  });

  it("ends the initial events with a bookmark", async () => {
    const storage = new MemoryStorage();
    await storage.create(key("a"), object("a"));
    const { ready } = watch(storage, { sendInitialEvents: true, allowBookmarks: true });
    expect(await ready()).toEqual(["ADDED a", "BOOKMARK 2"]);
  });

  it("shows transitions of a selector: starts to match, stops matching", async () => {
    const storage = new MemoryStorage();
    const { ready } = watch(storage, { predicate: labelled("x") });
    await storage.create(key("a"), object("a", "x"));
    await storage.guaranteedUpdate(key("a"), {}, () => ({ object: { ...object("a", "x"), data: {} } }));
    await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a", "y") }));
    await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a", "x") }));
    await storage.delete(key("a"));
    expect(await ready()).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a"]);
  });

  it("ends the watch of a slow reader, after its buffered events", async () => {
    const storage = new MemoryStorage({ watchBuffer: 1 });
    const { watching } = watch(storage);
    await storage.create(key("a"), object("a"));
    await storage.create(key("b"), object("b"));
    const seen: string[] = [];
    for await (const event of watching) seen.push(shown(event));
    expect(seen).toEqual(["ADDED a"]);
  });

  it("waits for a future version, but not for ever", async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage({ clock });
    const coming = list(storage, { resourceVersion: "2" });
    await storage.create(key("a"), object("a"));
    expect((await coming).names).toEqual(["a"]);
    const never = code(list(storage, { resourceVersion: "100" }));
    await clock.advance(3_000);
    expect(await never).toBe("TooLargeResourceVersion");
  });

  it("deletes an object after its time to live", async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage({ clock });
    await storage.create(key("a"), object("a"), { ttlSeconds: 60 });
    const { ready } = watch(storage);
    await clock.advance(60_000);
    expect(await ready()).toEqual(["ADDED a", "DELETED a"]);
    storage.close();
  });

  it("rejects a delete whose preconditions fail", async () => {
    const storage = new MemoryStorage();
    await storage.create(key("a"), object("a"));
    expect(await code(storage.delete(key("a"), { preconditions: { uid: "other" } }))).toBe("InvalidObject");
    expect(await code(storage.delete(key("b")))).toBe("KeyNotFound");
  });
});

describe("dryRunStorage", () => {
  it("performs all checks without writing", async () => {
    const storage = new MemoryStorage();
    const dry = dryRunStorage(storage);
    const made = await dry.create(key("a"), object("a"));
    expect(made.metadata.resourceVersion).toBeUndefined();
    expect((await list(storage)).names).toEqual([]);
    await storage.create(key("a"), object("a"));
    expect(await code(dry.create(key("a"), object("a")))).toBe("KeyExists");
    await dry.delete(key("a"));
    expect((await list(storage)).names).toEqual(["a"]);
  });
});

it("starts no watch for an aborted signal", async () => {
  const storage = new MemoryStorage({ clock: new FakeClock() });
  const watching = storage.watch(prefix, { predicate: everything, signal: AbortSignal.abort() });
  await storage.create(key("a"), object("a"));
  expect((await watching[Symbol.asyncIterator]().next()).done).toBe(true);
});
