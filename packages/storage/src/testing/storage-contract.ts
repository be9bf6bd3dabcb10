import { deepStrictEqual, equal, ok, rejects } from "node:assert/strict";
import type { Unstructured } from "@kubewright/apimachinery";
import {
  everything,
  type Storage,
  type StorageEvent,
  type StorageListOptions,
  type StorageWatchOptions,
} from "../contract/storage.ts";
import { isStorageError } from "../contract/storage-error.ts";

/** A requirement that every {@link Storage} must meet. */
export interface StorageCase {
  /** Description of the requirement. */
  readonly name: string;
  /** Rejects if the storage violates the requirement. The storage must be empty, and must not be shared with other cases. */
  run(storage: Storage): Promise<void>;
}

const prefix = "/core/configmaps/";
const key = (name: string): string => `${prefix}default/${name}`;
const object = (name: string, app = "x"): Unstructured => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", uid: `uid-${name}`, labels: { app } },
});
const versionOf = ({ metadata }: { readonly metadata: { readonly resourceVersion?: string } }): string =>
  metadata.resourceVersion ?? "";
const make = async (storage: Storage, ...names: string[]): Promise<void> => {
  for (const name of names) await storage.create(key(name), object(name));
};
const list = async (storage: Storage, options: Partial<StorageListOptions> = {}) => {
  const { items, metadata } = await storage.getList(prefix, { predicate: everything, ...options });
  return { names: items.map((item) => item.metadata.name), metadata };
};
const fails = (promise: Promise<unknown>, reason: string): Promise<void> =>
  rejects(promise, (error) => isStorageError(error) && error.reason === reason);
const shown = (event: StorageEvent): string =>
  event.type === "BOOKMARK" ? `end ${event.initialEventsEnd}` : `${event.type} ${event.object.metadata.name}`;

/** Starts a watch, runs `act`, and returns the first `count` events of the watch. */
async function watched(
  storage: Storage,
  count: number,
  options: Partial<StorageWatchOptions>,
  act: () => Promise<unknown> = async () => {},
): Promise<StorageEvent[]> {
  const stop = new AbortController();
  const watching = storage.watch(prefix, { predicate: everything, ...options, signal: stop.signal });
  const seen: StorageEvent[] = [];
  const reading = (async () => {
    for await (const event of watching) if (seen.push(event) === count) break;
  })();
  await act();
  await reading;
  stop.abort();
  return seen;
}

/**
 * The requirements that a storage must meet for the API server. Run each case with a separate storage:
 *
 * ```ts
 * for (const { name, run } of storageContract) it(name, async () => run(await openMine()));
 * ```
 */
export const storageContract: readonly StorageCase[] = [
  {
    name: "numbers the writes of all kinds with one counter",
    async run(storage) {
      const first = await storage.create(key("a"), object("a"));
      const second = await storage.create("/core/secrets/default/b", object("b"));
      ok(Number(versionOf(second)) > Number(versionOf(first)));
      ok(storage.currentResourceVersion() >= Number(versionOf(second)));
    },
  },
  {
    name: "creates an object once, and returns it as stored and frozen",
    async run(storage) {
      const created = await storage.create(key("a"), object("a"));
      ok(Object.isFrozen(created) && Object.isFrozen(created.metadata));
      deepStrictEqual(await storage.get(key("a")), created);
      await fails(storage.create(key("a"), object("a", "other")), "KeyExists");
      deepStrictEqual(await storage.get(key("a")), created);
    },
  },
  {
    name: "reads an absent object as KeyNotFound, or as undefined on request",
    async run(storage) {
      await fails(storage.get(key("a")), "KeyNotFound");
      equal(await storage.get(key("a"), { ignoreNotFound: true }), undefined);
      await fails(storage.delete(key("a")), "KeyNotFound");
      await fails(
        storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a") })),
        "KeyNotFound",
      );
    },
  },
  {
    name: "deletes only if preconditions hold and the check passes, and returns the last state",
    async run(storage) {
      const created = await storage.create(key("a"), object("a"));
      await fails(storage.delete(key("a"), { preconditions: { uid: "other" } }), "InvalidObject");
      await fails(storage.delete(key("a"), { preconditions: { resourceVersion: "999999" } }), "InvalidObject");
      const validate = (): void => {
        throw new Error("kept");
      };
      await rejects(storage.delete(key("a"), { validate }), /kept/);
      const preconditions = { uid: "uid-a", resourceVersion: versionOf(created) };
      equal((await storage.delete(key("a"), { preconditions })).metadata.uid, "uid-a");
      await fails(storage.get(key("a")), "KeyNotFound");
    },
  },
  {
    name: "updates the current state, and tries again after a conflicting write",
    async run(storage) {
      await make(storage, "a");
      const seen: (string | undefined)[] = [];
      const updated = await storage.guaranteedUpdate(key("a"), {}, async (current) => {
        seen.push(current?.metadata.labels?.app);
        if (seen.length === 1) await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a", "other") }));
        return { object: object("a", "mine") };
      });
      deepStrictEqual(seen, ["x", "other"]);
      equal(updated.metadata.labels?.app, "mine");
      deepStrictEqual(await storage.get(key("a")), updated);
    },
  },
  {
    name: "writes nothing if an update changes nothing",
    async run(storage) {
      const created = await storage.create(key("a"), object("a"));
      const same = await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a") }));
      equal(versionOf(same), versionOf(created));
      equal(storage.currentResourceVersion(), Number(versionOf(created)));
    },
  },
  {
    name: "creates and removes objects through updates, and rejects updates whose preconditions fail",
    async run(storage) {
      await storage.guaranteedUpdate(key("a"), { ignoreNotFound: true }, (current) => {
        equal(current, undefined);
        return { object: object("a") };
      });
      const other = storage.guaranteedUpdate(key("a"), { preconditions: { uid: "other" } }, () => ({ remove: true }));
      await fails(other, "InvalidObject");
      await storage.guaranteedUpdate(key("a"), {}, () => ({ remove: true }));
      equal(await storage.get(key("a"), { ignoreNotFound: true }), undefined);
    },
  },
  {
    name: "lists by key, page by page, in the state of the first page, and only below the prefix",
    async run(storage) {
      await make(storage, "c", "a", "b");
      await storage.create("/core/configmapsx/default/other", object("other"));
      const first = await list(storage, { limit: 2 });
      await storage.delete(key("c"));
      await make(storage, "d");
      const second = await list(storage, { limit: 2, continue: first.metadata.continue ?? "" });
      deepStrictEqual([first.names, second.names], [["a", "b"], ["c"]]);
      equal(first.metadata.remainingItemCount, 1);
      equal(second.metadata.continue, undefined);
      equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
      deepStrictEqual((await list(storage)).names, ["a", "b", "d"]);
      equal(await storage.count(prefix), 3);
    },
  },
  {
    name: "lists matching objects, and past states exactly",
    async run(storage) {
      await make(storage, "a");
      const then = await storage.create(key("b"), object("b", "y"));
      await storage.delete(key("a"));
      const matches = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) =>
        metadata.labels?.app === "y";
      deepStrictEqual((await list(storage, { predicate: { isEmpty: false, matches } })).names, ["b"]);
      const exact = { resourceVersion: versionOf(then), resourceVersionMatch: "Exact" } as const;
      deepStrictEqual((await list(storage, exact)).names, ["a", "b"]);
    },
  },
  {
    name: "rejects continue tokens that it did not issue",
    async run(storage) {
      await fails(list(storage, { continue: "nonsense" }), "InvalidContinueToken");
    },
  },
  {
    name: "watches every change once and in order, after a version",
    async run(storage) {
      const { metadata } = await storage.create(key("a"), object("a"));
      await make(storage, "b");
      const resourceVersion = metadata.resourceVersion ?? "";
      const seen = await watched(storage, 3, { resourceVersion }, async () => {
        await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a", "new") }));
        await storage.delete(key("b"));
      });
      deepStrictEqual(seen.map(shown), ["ADDED b", "MODIFIED a", "DELETED b"]);
      const versions = seen.map((event) => event.resourceVersion);
      deepStrictEqual(
        versions,
        [...new Set(versions)].sort((a, b) => a - b),
      );
    },
  },
  {
    name: "starts a watch with the current state, followed by a bookmark",
    async run(storage) {
      await make(storage, "a", "b");
      const seen = await watched(storage, 3, { sendInitialEvents: true, allowBookmarks: true });
      deepStrictEqual(seen.map(shown), ["ADDED a", "ADDED b", "end true"]);
    },
  },
  {
    name: "shows objects that start or stop matching to a watcher",
    async run(storage) {
      const created = await storage.create(key("a"), object("a", "y"));
      const predicate = {
        isEmpty: false,
        matches: ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) =>
          metadata.labels?.app === "x",
      };
      const seen = await watched(storage, 2, { predicate, resourceVersion: versionOf(created) }, async () => {
        for (const app of ["z", "x", "y"])
          await storage.guaranteedUpdate(key("a"), {}, () => ({ object: object("a", app) }));
      });
      deepStrictEqual(seen.map(shown), ["ADDED a", "DELETED a"]);
    },
  },
  {
    name: "answers requests for compacted positions with Expired",
    async run(storage) {
      const first = await storage.create(key("a"), object("a"));
      await make(storage, "b", "c");
      await storage.compact(String(storage.currentResourceVersion()));
      await fails(watched(storage, 1, { resourceVersion: versionOf(first) }), "Expired");
      const exact = { resourceVersion: versionOf(first), resourceVersionMatch: "Exact" } as const;
      await fails(list(storage, exact), "Expired");
      deepStrictEqual((await list(storage)).names, ["a", "b", "c"]);
    },
  },
  {
    name: "ends a watch whose signal aborts",
    async run(storage) {
      const stop = new AbortController();
      const watching = storage.watch(prefix, { predicate: everything, signal: stop.signal });
      const next = watching[Symbol.asyncIterator]().next();
      stop.abort();
      equal((await next).done, true);
      ok(watching.isOver);
    },
  },
];
