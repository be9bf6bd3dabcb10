import {
  fieldError,
  isStatusError,
  mutableCopy,
  ParsedLabelSelector,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { Storage } from "@kubewright/storage";
import { dryRunStorage, MemoryStorage, StorageError } from "@kubewright/storage";
import { describe, expect, it } from "vitest";
import { parseSelection } from "./predicate.ts";
import type { ReadonlyObject, ServedResource, VersionConverter } from "./resource.ts";
import { Store } from "./store.ts";
import type { AccessCheck, UpdateRequest } from "./store-requests.ts";
import type { KindStrategy } from "./strategy.ts";
import { thingResource } from "./testing/thing-resource.ts";

const key = "/core/things/default/web";
const resource = thingResource({ gracePeriodSeconds: () => 0 });
const context = {
  user: { name: "u", groups: [] },
  nowMs: 0,
  namespace: "default",
  dryRun: false,
  warn() {},
};
const thing = (): Unstructured => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "web", namespace: "default" },
});

/** Like etcd, gives each caller its own copy of an object. */
const copying = (storage: MemoryStorage): Storage => ({
  versioner: storage.versioner,
  create: (...call) => storage.create(...call),
  delete: (...call) => storage.delete(...call),
  get: async (...call) => structuredClone(await storage.get(...call)),
  getList: (...call) => storage.getList(...call),
  guaranteedUpdate: async (...call) => structuredClone(await storage.guaranteedUpdate(...call)),
  watch: (...call) => storage.watch(...call),
  count: (...call) => storage.count(...call),
  compact: (...call) => storage.compact(...call),
  currentResourceVersion: () => storage.currentResourceVersion(),
});

describe("Store.delete of a kind with grace, none left", () => {
  const storeOn = (storage: Storage) => new Store(resource, storage, dryRunStorage(storage));

  it("removes the object, even if the storage returns copies", async () => {
    const storage = copying(new MemoryStorage());
    const store = storeOn(storage);
    await store.create(thing(), context);
    expect(await store.delete("web", { dryRun: false }, context)).toMatchObject({ gone: true });
    expect(await storage.get(key, { ignoreNotFound: true })).toBeUndefined();
  });

  it("leaves the object to a writer that changed it after it was marked", async () => {
    const storage = copying(new MemoryStorage());
    const store = storeOn(storage);
    await store.create(thing(), context);
    const deleting = store.delete("web", { dryRun: false }, context);
    const isMarked = async () => (await storage.get(key))?.metadata.deletionTimestamp !== undefined;
    while (!(await isMarked()));
    const held = (current: unknown): { object: Unstructured } => {
      const { metadata, ...rest } = current as Unstructured;
      return { object: { ...rest, metadata: { ...metadata, finalizers: ["example.com/hold"] } } };
    };
    await storage.guaranteedUpdate(key, {}, held);
    await deleting;
    expect(await storage.get(key)).toMatchObject({ metadata: { finalizers: ["example.com/hold"] } });
  });

  it("removes nothing in a dry run", async () => {
    const storage = copying(new MemoryStorage());
    const store = storeOn(storage);
    await store.create(thing(), context);
    await store.delete("web", { dryRun: true }, { ...context, dryRun: true });
    expect((await storage.get(key))?.metadata).not.toHaveProperty("deletionTimestamp");
  });
});

type Options = { readonly strategy?: KindStrategy; readonly check?: AccessCheck } & Partial<ServedResource>;
function storeOf({ strategy = {}, check, ...more }: Options = {}) {
  const storage = new MemoryStorage();
  const store = new Store({ ...thingResource(strategy), ...more }, storage, dryRunStorage(storage), {
    checkAccess: check,
  });
  const warnings: string[] = [];
  return { storage, store, warnings, context: { ...context, warn: (text: string) => void warnings.push(text) } };
}
const named = (name: string, meta: object = {}, more: object = {}): Unstructured => ({
  ...{ apiVersion: "v1", kind: "Thing", metadata: { name, namespace: "default", ...meta } },
  ...more,
});
async function problemOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
    return "";
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}
const toOther = (object: ReadonlyObject): Unstructured =>
  ({ ...mutableCopy(object), apiVersion: "v2" }) as Unstructured;
const converter: VersionConverter = {
  toServed: (objects) => objects.map(toOther),
  toStored: (object) => ({ ...object, apiVersion: "v1" }),
};
const everything = { labels: ParsedLabelSelector.everything, fields: undefined, name: undefined };
const label =
  (value: string) =>
  (current: unknown): Unstructured => {
    const next = mutableCopy(current as ReadonlyObject) as Unstructured;
    next.metadata.labels = { a: value };
    return next;
  };

describe("Store.create", () => {
  it("refuses what exists, and reports that it is being deleted", async () => {
    const { store, context } = storeOf();
    await store.create(named("a"), context);
    expect(await problemOf(store.create(named("a"), context))).toBe('409 things "a" already exists');
    await store.create(named("b", { finalizers: ["a.b/c"] }), context);
    await store.delete("b", { dryRun: false }, context);
    expect(await problemOf(store.create(named("b"), context))).toBe(
      '409 object is being deleted: things "b" already exists',
    );
  });

  it("tries eight generated names", async () => {
    const { storage, store, context } = storeOf();
    const create = storage.create.bind(storage);
    const tried: string[] = [];
    const taken = { count: 7 };
    storage.create = async (key, ...rest) => {
      tried.push(key);
      if (tried.length <= taken.count) await create(key, thing());
      return create(key, ...rest);
    };
    const made = await store.create(named("", { generateName: "x-" }), context);
    expect(made.metadata.name).toMatch(/^x-.{5}$/);
    expect(new Set(tried).size).toBe(8);
    taken.count = 16;
    const problem = await problemOf(store.create(named("", { generateName: "x-" }), context));
    expect(problem).toMatch(
      /^409 object is being created: things "x-.{5}" already exists, the server was not able to generate a unique name for the object$/,
    );
    expect(tried).toHaveLength(16);
  });

  it.each([
    ["", ""],
    ["0", ""],
    ["00", ""],
    ["7", "500 resourceVersion should not be set on objects to be created"],
    ["10", "500 resourceVersion should not be set on objects to be created"],
  ])("takes no resourceVersion: %j", async (resourceVersion, problem) => {
    const { store, context } = storeOf();
    expect(await problemOf(store.create(named("a", { resourceVersion }), context))).toBe(problem);
    const dryRun = { ...context, dryRun: true };
    expect(await problemOf(store.create(named("b", { resourceVersion }), dryRun))).toBe("");
    expect(await store.count()).toBe(problem === "" ? 1 : 0);
  });

  it("checks access once the object is valid, then asks admission, then warns", async () => {
    const calls: string[] = [];
    const strategy: KindStrategy = {
      validate: () => {
        calls.push("validate");
        return [];
      },
      warningsOnCreate: () => {
        calls.push("warn");
        return ["old"];
      },
    };
    const check: AccessCheck = async ({ object, old, part }) => {
      calls.push(`access ${object.metadata.name} ${part} ${old}`);
      return object.metadata.name === "bad" ? [fieldError.forbidden("spec", "no")] : [];
    };
    const { store, context, warnings } = storeOf({ strategy, check });
    await store.create(named("a"), context, async () => void calls.push("admit"));
    expect(calls).toEqual(["validate", "access a main undefined", "admit", "warn"]);
    expect(warnings).toEqual(["old"]);
    expect(await problemOf(store.create(named("bad"), context))).toBe(
      '422 Thing "bad" is invalid: spec: Forbidden: no',
    );
  });

  it("warns of finalizers of custom kinds", async () => {
    const { store, context, warnings } = storeOf({ origin: "custom" });
    await store.create(named("a", { finalizers: ["x"] }), context);
    expect(warnings).toEqual([expect.stringContaining("prefer a domain-qualified finalizer name")]);
  });

  it("stores the stored form, and answers the served one", async () => {
    const { storage, store, context } = storeOf({ converter });
    expect((await store.create(named("a", {}, { apiVersion: "v2" }), context)).apiVersion).toBe("v2");
    expect((await storage.get("/core/things/default/a"))?.apiVersion).toBe("v1");
  });
});

describe("reading", () => {
  it("finds one object, at least as new as asked, in the served form", async () => {
    const { storage, store, context } = storeOf({ converter });
    await store.create(named("a"), context);
    expect((await store.get("default", "a")).apiVersion).toBe("v2");
    expect(await problemOf(store.get("default", "b"))).toBe('404 things "b" not found');
    expect(await problemOf(store.get("other", "a"))).toBe('404 things "a" not found');
    const { metadata } = await store.get("default", "a");
    storage.get = async (key, options) => Promise.reject(new StorageError("Expired", key, JSON.stringify(options)));
    expect(await problemOf(store.get("default", "a", metadata.resourceVersion))).toBe(
      `410 {"resourceVersion":"${metadata.resourceVersion}"}`,
    );
    expect(await problemOf(store.get("default", "a", ""))).toBe("410 {}");
  });

  it("lists and counts a namespace, or all of them", async () => {
    const { store, context } = storeOf();
    await store.create(named("a"), context);
    await store.create(named("b", { namespace: "other" }), { ...context, namespace: "other" });
    const names = async (namespace: string): Promise<string[]> =>
      (await store.list({ namespace, selection: everything })).items.map(({ metadata }) => metadata.name);
    expect([await names(""), await names("other"), await names("default")]).toEqual([["a", "b"], ["b"], ["a"]]);
    expect([await store.count(), await store.count("other"), await store.count("x")]).toEqual([2, 1, 0]);
    expect(await problemOf(store.list({ namespace: "", selection: everything, continue: "x" }))).toMatch(
      /^400 invalid continue token/,
    );
  });

  it("lists the served form, and selects by its fields", async () => {
    const strategy: KindStrategy = { selectableFields: { version: ({ apiVersion }) => apiVersion } };
    const { store, context } = storeOf({ converter, strategy });
    await store.create(named("a"), context);
    const { items } = await store.list({ namespace: "", selection: parseSelection("", "version=v2", store.resource) });
    expect(items.map(({ apiVersion }) => apiVersion)).toEqual(["v2"]);
    const remote: VersionConverter = {
      ...converter,
      toServed: async (objects) => objects.map(toOther),
      toServedAnew: async (object) => toOther(object),
    };
    const async = storeOf({ strategy, converter: remote });
    await async.store.create(named("a"), async.context);
    const found = async (fields: string) =>
      (await async.store.list({ namespace: "", selection: parseSelection("", fields, store.resource) })).items;
    expect(await found("version=v2")).toMatchObject([{ apiVersion: "v2" }]);
    expect(await found("version=v1")).toEqual([]);
    expect(await found("metadata.name=a")).toMatchObject([{ apiVersion: "v2" }]);
  });

  it("watches one object, a namespace, or all", async () => {
    const seen = async (options: Options, namespace: string, fields: string): Promise<string> => {
      const { storage, store } = storeOf(options);
      const watched: string[] = [];
      storage.watch = ((prefix: string) => void watched.push(prefix)) as never;
      const selection = parseSelection("", fields, store.resource);
      store.watch({ namespace, selection, allowBookmarks: false, signal: new AbortController().signal });
      return watched.join();
    };
    expect(await seen({}, "", "")).toBe("/core/things/");
    expect(await seen({}, "n", "")).toBe("/core/things/n/");
    expect(await seen({}, "n", "metadata.name=a")).toBe("/core/things/n/a");
    expect(await seen({}, "", "metadata.name=a")).toBe("/core/things/");
    expect(await seen({ scope: "Cluster" }, "", "metadata.name=a")).toBe("/core/things/a");
    expect(await seen({ scope: "Cluster" }, "n", "")).toBe("/core/things/");
  });

  it("converts anew where a conversion may not come from memory", async () => {
    const anew: VersionConverter = {
      ...converter,
      toServedAnew: async (object) => ({ ...toOther(object), apiVersion: "v3" }),
    };
    const { store, context } = storeOf({ converter: anew });
    expect((await store.create(named("a"), context)).apiVersion).toBe("v3");
    expect((await store.get("default", "a")).apiVersion).toBe("v3");
    expect((await store.served(named("a"))).apiVersion).toBe("v2");
    expect((await storeOf().store.served(named("a"))).apiVersion).toBe("v1");
  });
});

describe("Store.update", () => {
  const request = (name: string, value = "x", more: Partial<UpdateRequest> = {}): UpdateRequest => ({
    ...{ name, part: "main", transform: label(value) },
    ...more,
  });

  it("writes what the transformation makes of the object", async () => {
    const { store, context } = storeOf({ converter });
    await store.create(named("a"), context);
    const { object, created } = await store.update(request("a"), context);
    expect([object.apiVersion, object.metadata.labels, created]).toEqual(["v2", { a: "x" }, false]);
    expect(await problemOf(store.update(request("b"), context))).toBe('404 things "b" not found');
    const preconditions = { uid: "other" };
    expect(await problemOf(store.update(request("a", "y", { preconditions }), context))).toMatch(
      /^409 .*StorageError: invalid object/,
    );
  });

  it.each<readonly [strategy: KindStrategy, version: (now: string) => string | undefined, problem: string]>([
    [{}, () => undefined, ""],
    [{}, () => "", ""],
    [{}, () => "0", ""],
    [{}, (now) => now, ""],
    [{}, () => "x", '500 strconv.ParseUint: parsing "x": invalid syntax'],
    [{}, () => "-1", '500 strconv.ParseUint: parsing "-1": invalid syntax'],
    [
      {},
      (now) => `${now}0`,
      '409 Operation cannot be fulfilled on things "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      { allowUnconditionalUpdate: false },
      () => "0",
      '422 things "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
    [{ allowUnconditionalUpdate: false }, (now) => now, ""],
    [{ allowUnconditionalUpdate: true }, () => "", ""],
  ])("compares the resourceVersion: %j %s", async (strategy, version, problem) => {
    const { store, context } = storeOf({ strategy });
    const { metadata } = await store.create(named("a"), context);
    const resourceVersion = version(metadata.resourceVersion ?? "");
    const transform = (): Unstructured => named("a", resourceVersion === undefined ? {} : { resourceVersion });
    expect(await problemOf(store.update(request("a", "", { transform }), context))).toBe(problem);
  });

  it("creates what is missing where the kind or the caller allows it", async () => {
    const transform = (): Unstructured => named("a");
    const upsert: Options = { strategy: { allowCreateOnUpdate: true, ttlSeconds: 60 } };
    for (const [options, more] of [
      [upsert, {}],
      [{}, { forceCreate: true }],
    ] as const) {
      const { store, context } = storeOf(options);
      const calls: string[] = [];
      const validateCreate = async (object: Unstructured): Promise<void> => void calls.push(object.metadata.uid ?? "");
      const { object, created } = await store.update(request("a", "", { ...more, transform, validateCreate }), context);
      expect([created, object.metadata.name, calls]).toEqual([true, "a", [object.metadata.uid]]);
    }
    const withUid = (): Unstructured => named("b", { uid: "u" });
    const message =
      '409 Operation cannot be fulfilled on things "b": Precondition failed: UID in precondition: u, UID in object meta: ';
    const { store, context } = storeOf(upsert);
    expect(await problemOf(store.update(request("b", "", { transform: withUid }), context))).toBe(message);
    const grouped = storeOf({ ...upsert, group: "g" });
    expect(await problemOf(grouped.store.update(request("b", "", { transform: withUid }), grouped.context))).toBe(
      message.replace('things "b"', 'things.g "b"'),
    );
    expect((await store.update(request("b", "", { transform: withUid, forceCreate: true }), context)).created).toBe(
      true,
    );
  });

  it("checks access, asks admission and warns", async () => {
    const parts: unknown[] = [];
    const strategy: KindStrategy = {
      warningsOnUpdate: (_next, old) => [`was ${JSON.stringify(old.metadata.labels ?? {})}`],
      warningsOnCreate: () => ["new"],
    };
    const check: AccessCheck = async ({ part, old }) => {
      parts.push([part, old !== undefined]);
      return [];
    };
    const { store, context, warnings } = storeOf({ strategy, check });
    await store.create(named("a"), context);
    const validateUpdate = async (next: Unstructured, old: ReadonlyObject): Promise<void> =>
      void parts.push([next.metadata.labels, old.metadata.labels]);
    await store.update(request("a", "x", { validateUpdate }), context);
    await store.update(request("a", "y", { part: "status" }), context);
    expect(parts).toEqual([
      ["main", false],
      ["main", true],
      [{ a: "x" }, undefined],
      ["status", true],
    ]);
    expect(warnings).toEqual(["new", "was {}"]);
    const custom = storeOf({ strategy, origin: "custom" });
    await custom.store.create(named("a"), custom.context);
    await custom.store.update(request("a", "y", { part: "status" }), custom.context);
    expect(custom.warnings).toEqual(["new", "was {}"]);
  });

  it("removes what nothing holds any longer, and answers its last state", async () => {
    const { store, context } = storeOf();
    await store.create(named("a", { finalizers: ["a.b/c"] }), context);
    const { object: marked, gone } = await store.delete("a", { dryRun: false }, context);
    expect(gone).toBe(false);
    const transform = (current: unknown): Unstructured => {
      const next = label("x")(current);
      delete next.metadata.finalizers;
      delete next.metadata.resourceVersion;
      return next;
    };
    const { object } = await store.update(request("a", "", { transform }), context);
    expect(object.metadata).toMatchObject({ labels: { a: "x" }, resourceVersion: marked.metadata.resourceVersion });
    expect(await store.count()).toBe(0);
  });

  it("writes nothing in a dry run", async () => {
    const { store, context } = storeOf();
    await store.create(named("a"), context);
    const { object } = await store.update(request("a"), { ...context, dryRun: true });
    expect(object.metadata.labels).toEqual({ a: "x" });
    expect((await store.get("default", "a")).metadata.labels).toBeUndefined();
  });
});

describe("Store.delete", () => {
  it("removes, refuses a missing or another object, and asks admission before", async () => {
    const { store, context } = storeOf();
    await store.create(named("a"), context);
    const remove = (options: object = {}, validate?: (current: ReadonlyObject) => Promise<void>): Promise<unknown> =>
      store.delete("a", { dryRun: false, ...options }, context, validate);
    expect(await problemOf(remove({ preconditions: { uid: "x" } }))).toMatch(
      /^409 Operation cannot be fulfilled on Thing "a"/,
    );
    await expect(remove({}, async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await store.count()).toBe(1);
    expect(await remove()).toMatchObject({ gone: true, object: { metadata: { name: "a" } } });
    expect(await problemOf(remove())).toBe('404 things "a" not found');
  });

  it("answers the served form, and leaves what is being deleted as it is", async () => {
    const { store, context } = storeOf({ converter });
    await store.create(named("a", { finalizers: ["a.b/c"] }), context);
    const first = await store.delete("a", { dryRun: false }, context);
    const again = await store.delete("a", { dryRun: false }, context);
    expect([first.object.apiVersion, first.gone, again.gone]).toEqual(["v2", false, false]);
    expect(again.object.metadata.resourceVersion).toBe(first.object.metadata.resourceVersion);
  });
});

it("knows how large an object may be", () => {
  const { storage, store } = storeOf();
  expect(store.maxObjectBytes).toBe(storage.maxObjectBytes);
});
