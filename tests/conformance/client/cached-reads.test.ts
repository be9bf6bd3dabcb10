import {
  type DeepReadonly,
  isNotFound,
  type Kind,
  type KubeObject,
  keyOf,
  metadataOnly,
  mutableCopy,
  unstructured,
} from "@kubewright/apimachinery";
import {
  allNamespaces,
  byObject,
  InformerCache,
  type InformerCacheOptions,
  isResourceNotCachedError,
  ResourceNotCachedError,
  stripManagedFields,
} from "@kubewright/cache";
import { FakeListWatchClient } from "@kubewright/cache/testing";
import { withReader } from "@kubewright/client";
import { ConfigMap, Namespace, Node, Secret } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { useServer } from "./server.ts";

const { client, inNewNamespace } = useServer();
/** Returns the sorted names in a list, which has no order. */
const namesOf = (objects: readonly { readonly metadata: { readonly name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name).sort();

/** Starts a cache, and creates a namespace with objects. */
async function caching(options: Partial<InformerCacheOptions> = {}) {
  const namespace = await inNewNamespace();
  for (const [name, tier] of [
    ["a", "web"],
    ["b", "db"],
    ["c", "web"],
  ] as const)
    await client().create(ConfigMap, { metadata: { name, namespace, labels: { tier } }, data: { tier, name } });
  const cache = new InformerCache({ client: client(), logger: silentLogger, ...options });
  const stop = new AbortController();
  const run = cache.run(stop.signal);
  return {
    cache,
    namespace,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

/** Returns a reader that records its requests, and returns nothing. */
const refusing = (asked: string[]) => ({
  get: async (kind: Kind): Promise<never> => {
    asked.push(`get ${kind.kind}`);
    throw new Error("from the cache");
  },
  list: async (kind: Kind): Promise<never> => {
    asked.push(`list ${kind.kind}`);
    throw new Error("from the cache");
  },
});

describe("a client with a cache", () => {
  it("CL-045 reads from the cache", async () => {
    const asked: string[] = [];
    const reading = withReader(client(), refusing(asked));
    await expect(reading.get(ConfigMap, "default/a")).rejects.toThrow("from the cache");
    await expect(reading.list(ConfigMap)).rejects.toThrow("from the cache");
    expect(asked).toEqual(["get ConfigMap", "list ConfigMap"]);
  });

  it("CL-046 reads excluded kinds from the server, in any version", async () => {
    const asked: string[] = [];
    const reading = withReader(client(), refusing(asked), { disableFor: [Secret] });
    await expect(reading.get(Secret, "default/none")).rejects.toSatisfy(isNotFound);
    expect(await reading.list(unstructured({ apiVersion: "v1", kind: "Secret" }))).toEqual([]);
    expect(asked).toEqual([]);
    await expect(reading.list(ConfigMap)).rejects.toThrow("from the cache");

    const waiting = { ...refusing([]), caughtUp: () => Promise.resolve(false) };
    const cached = withReader(client(), waiting, { disableFor: [Secret] });
    expect(await cached.caughtUp(Secret, "7")).toBe(true);
    expect(await cached.caughtUp(ConfigMap, "7")).toBe(false);
  });

  it("CL-048 reports that a kind is not cached with an error that differs from not found", async () => {
    await using cached = await caching({ readerFailOnMissingInformer: true });
    const reading = withReader(client(), cached.cache);
    for (const read of [reading.get(Secret, "default/none"), reading.list(Secret)]) {
      const error = await read.then(
        () => undefined,
        (rejected: unknown) => rejected,
      );
      expect(error).toBeInstanceOf(ResourceNotCachedError);
      expect(isResourceNotCachedError(error) && error.kind).toEqual({ group: "", version: "v1", kind: "Secret" });
      expect([isNotFound(error), String(error)]).toEqual([
        false,
        expect.stringContaining("v1, Kind=Secret is not cached"),
      ]);
    }
  });

  it("reads untyped objects from the cache like any others", async () => {
    await using cached = await caching();
    const reading = withReader(client(), cached.cache);
    const kind = unstructured({ apiVersion: "v1", kind: "ConfigMap" });
    expect(namesOf(await reading.list(kind, { namespace: cached.namespace }))).toEqual(["a", "b", "c"]);
    expect([...cached.cache.ages.keys()]).toHaveLength(1);
  });
});

describe("reading from a cache", () => {
  it("CL-049 CL-052 starts an informer at the first read and waits for it; asking for one does not wait", async () => {
    await using cached = await caching();
    expect(cached.cache.ages.size).toBe(0);
    expect(namesOf(await cached.cache.list(ConfigMap, { namespace: cached.namespace }))).toEqual(["a", "b", "c"]);
    expect(cached.cache.ages.size).toBe(1);
    expect(cached.cache.getInformer(ConfigMap).hasSynced).toBe(true);
    const informer = cached.cache.getInformer(Secret);
    expect(informer.hasSynced).toBe(false);
    expect(await informer.synced()).toBe(true);
  });

  it("CL-050 starts no informer if disabled, and reads kinds that are configured or were requested before", async () => {
    await using cached = await caching({ readerFailOnMissingInformer: true, kinds: [byObject(Namespace)] });
    const { cache, namespace } = cached;
    for (const kind of [ConfigMap, unstructured({ apiVersion: "v1", kind: "ConfigMap" }), metadataOnly(ConfigMap)]) {
      await expect(cache.list(kind)).rejects.toSatisfy(isResourceNotCachedError);
      await expect(cache.get(kind, `${namespace}/a`)).rejects.toSatisfy(isResourceNotCachedError);
    }
    expect(cache.ages.size).toBe(0);
    cache.getInformer(ConfigMap);
    expect(namesOf(await cache.list(ConfigMap, { namespace }))).toEqual(["a", "b", "c"]);
    expect((await cache.get(ConfigMap, `${namespace}/a`)).metadata.name).toBe("a");
    expect(namesOf(await cache.list(Namespace))).toContain(namespace);
    await cache.removeInformer(ConfigMap);
    await expect(cache.list(ConfigMap)).rejects.toSatisfy(isResourceNotCachedError);
  });

  it("ends a wait with the reason of the read's signal", async () => {
    await using cached = await caching();
    const reason = new Error("enough");
    await expect(cached.cache.list(ConfigMap, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("CL-053 CL-054 reports a missing object, and sets kind and apiVersion of existing ones", async () => {
    await using cached = await caching();
    await expect(cached.cache.get(ConfigMap, `${cached.namespace}/none`)).rejects.toSatisfy(isNotFound);
    for (const { apiVersion, kind } of await cached.cache.list(ConfigMap, { namespace: cached.namespace }))
      expect([apiVersion, kind]).toEqual(["v1", "ConfigMap"]);
  });

  it("CL-055 prevents changes that later reads would see, and allows them on a copy", async () => {
    await using cached = await caching();
    const key = `${cached.namespace}/a`;
    const read = await cached.cache.get(ConfigMap, key);
    expect(() => Object.assign(read.metadata, { labels: {} })).toThrow(TypeError);
    const copy = mutableCopy(read);
    copy.metadata.labels = { changed: "yes" };
    expect((await cached.cache.get(ConfigMap, key)).metadata.labels).toEqual({ tier: "web" });
  });

  it("CL-056 applies the limit of a list after its selectors", async () => {
    await using cached = await caching();
    const { namespace } = cached;
    const marker = "continue-not-supported";
    const cut = await cached.cache.list(ConfigMap, { namespace, limit: 2 });
    expect([cut.length, cut.metadata.continue]).toEqual([2, marker]);
    const whole = await cached.cache.list(ConfigMap, { namespace, labels: { tier: "web" }, limit: 2 });
    expect([namesOf(whole), whole.metadata.continue]).toEqual([["a", "c"], undefined]);
    await expect(cached.cache.list(ConfigMap, { namespace, limit: 2, continue: marker })).rejects.toThrow(
      "continue list option is not supported by the cache",
    );
  });

  it("CL-057 strips managed fields, and does not change objects without them", async () => {
    const strip = stripManagedFields();
    const stripped = strip({ metadata: { name: "a", managedFields: [{ manager: "x" }] } });
    expect(stripped).toEqual({ metadata: { name: "a" } });
    for (const other of ["text", { key: "no object" }, 7]) expect(strip(other)).toBe(other);
    await using cached = await caching();
    const read = await cached.cache.get(ConfigMap, `${cached.namespace}/a`);
    expect(read.metadata.managedFields).toBeUndefined();
  });
});

describe("indexes of a cache", () => {
  it("CL-058 CL-059 CL-061 serve exact selectors, also combined, with and without a namespace", async () => {
    await using cached = await caching();
    const { cache, namespace } = cached;
    cache.indexField(ConfigMap, "data.tier", ({ data }) => (data?.tier ? [data.tier] : []));
    cache.indexField(ConfigMap, "data.name", ({ data }) => (data?.name ? [data.name] : []));
    expect(cache.ages.size).toBe(0);
    const list = async (options: object) => namesOf(await cache.list(ConfigMap, options));
    expect(await list({ namespace, fields: { "data.tier": "web" } })).toEqual(["a", "c"]);
    expect(await list({ fields: { "data.tier": "db" }, labels: { tier: "db" } })).toContain("b");
    expect(await list({ namespace, fields: "data.tier=web,data.name=c" })).toEqual(["c"]);
    expect(await list({ namespace, fields: "data.tier=db,data.name=c" })).toEqual([]);
    await expect(list({ fields: "data.tier=web,data.other=x" })).rejects.toThrow("field:data.other does not exist");
  });

  it("CL-060 are required, and serve only exact selectors", async () => {
    await using cached = await caching();
    const { cache } = cached;
    await expect(cache.list(ConfigMap, { fields: { "data.tier": "web" } })).rejects.toThrow("does not exist");
    cache.indexField(ConfigMap, "data.tier", ({ data }) => (data?.tier ? [data.tier] : []));
    await expect(cache.list(ConfigMap, { fields: "data.tier!=web" })).rejects.toThrow("only exact field selectors");
  });

  it("contain objects that were stored before the index was added", async () => {
    await using cached = await caching();
    const { cache, namespace } = cached;
    await cache.list(ConfigMap);
    cache.indexField(ConfigMap, "data.name", ({ data }) => (data?.name ? [data.name] : []));
    expect(namesOf(await cache.list(ConfigMap, { namespace, fields: { "data.name": "b" } }))).toEqual(["b"]);
  });
});

describe("the scope of a cache", () => {
  it("CL-062 is the configured namespaces, whose objects a list combines", async () => {
    const [one, two] = [await inNewNamespace(), await inNewNamespace()];
    for (const namespace of [one, two]) await client().create(ConfigMap, { metadata: { name: "x", namespace } });
    await using cached = await caching({ namespaces: [one, two] });
    const { cache } = cached;
    expect((await cache.list(ConfigMap)).map(keyOf).sort()).toEqual([`${one}/x`, `${two}/x`].sort());
    expect((await cache.list(ConfigMap, { namespace: two })).map(keyOf)).toEqual([`${two}/x`]);
    await expect(cache.get(ConfigMap, `${cached.namespace}/a`)).rejects.toThrow();
  });

  it("CL-063 contains cluster-scoped objects once", async () => {
    for (const name of ["n1", "n2"]) await client().create(Node, { metadata: { name } });
    await using cached = await caching({ namespaces: [await inNewNamespace(), "default"] });
    expect(namesOf(await cached.cache.list(Node))).toEqual(["n1", "n2"]);
    expect(namesOf(await cached.cache.list(unstructured({ apiVersion: "v1", kind: "Node" })))).toEqual(["n1", "n2"]);
  });

  it("CL-064 is limited by labels and fields: those of a namespace take precedence over the kind's, and these over the cache's", async () => {
    const [one, two] = [await inNewNamespace(), await inNewNamespace()];
    for (const namespace of [one, two])
      for (const [name, tier] of [
        ["a", "web"],
        ["b", "db"],
      ] as const) {
        await client().create(ConfigMap, { metadata: { name, namespace, labels: { tier } } });
        await client().create(Secret, { metadata: { name, namespace, labels: { tier } } });
      }
    await using cached = await caching({
      labels: { tier: "none" },
      kinds: [
        byObject(Secret, { labels: {}, fields: "metadata.name=a" }),
        byObject(ConfigMap, {
          labels: { tier: "db" },
          namespaces: {
            [one]: { labels: "tier=web" },
            [two]: {},
            [allNamespaces]: { labels: {}, fields: "metadata.name=c" },
          },
        }),
      ],
    });
    const { cache } = cached;
    const keys = async (kind: Kind, namespace?: string) => (await cache.list(kind, { namespace })).map(keyOf).sort();
    expect(await keys(Secret, one)).toEqual([`${one}/a`]);
    expect(await keys(ConfigMap, one)).toEqual([`${one}/a`]);
    expect(await keys(ConfigMap, two)).toEqual([`${two}/b`]);
    expect(await keys(ConfigMap, cached.namespace)).toEqual([`${cached.namespace}/c`]);
    const all = await keys(ConfigMap);
    expect(all).toEqual(expect.arrayContaining([`${one}/a`, `${two}/b`, `${cached.namespace}/c`]));
    expect(all.filter((key) => key.startsWith(one) || key.startsWith(two))).toHaveLength(2);
    expect(await keys(Namespace)).toEqual([]);
    await expect(cache.get(ConfigMap, `${one}/b`)).rejects.toSatisfy(isNotFound);
  });

  it("CL-065 takes the settings of a namespace from its entry, the kind, the cache's entry and the cache, in this order", async () => {
    const [one, two] = [await inNewNamespace(), await inNewNamespace()];
    for (const namespace of [one, two])
      await client().create(ConfigMap, { metadata: { name: "x", namespace, labels: { a: "1", b: "1" } } });
    const marked = mark("cache");
    await using cached = await caching({
      transform: marked,
      freeze: true,
      namespaces: {
        [one]: { freeze: false, labels: "a=2" },
        [two]: { transform: mark("cache's entry"), labels: "a=2" },
      },
      kinds: [
        byObject(ConfigMap, {
          labels: "a=1",
          namespaces: { [one]: { fields: "metadata.name=x" }, [two]: { freeze: false } },
        }),
      ],
    });
    const { cache } = cached;
    const x = async (namespace: string) => {
      const read = await cache.get(ConfigMap, { namespace, name: "x" });
      return [markOf(read), Object.isFrozen(read)];
    };
    expect(await x(one)).toEqual(["cache", false]);
    expect(await x(two)).toEqual(["cache's entry", false]);
    expect(await cache.list(Secret, { namespace: two })).toEqual([]);
    const found = await cache.get(Namespace, one);
    expect([markOf(found), Object.isFrozen(found)]).toEqual(["cache", true]);
    await expect(cache.get(ConfigMap, `${cached.namespace}/a`)).rejects.toThrow("unknown namespace for the cache");
    expect(() => cache.configure(Node, { namespaces: [one] })).toThrow("is not allowed for a cluster-scoped kind");
  });

  it("CL-066 does not change the given options", async () => {
    const namespaces = Object.freeze(["default"]);
    const options = Object.freeze({ client: client(), namespaces, logger: silentLogger });
    const kindOptions = Object.freeze({ labels: Object.freeze({ tier: "web" }) });
    const before = JSON.stringify({ namespaces, kindOptions });
    const caches = [new InformerCache(options), new InformerCache(options)];
    const stop = new AbortController();
    const runs = caches.map((cache) => {
      cache.configure(ConfigMap, kindOptions);
      return cache.run(stop.signal);
    });
    await Promise.all(caches.map((cache) => cache.list(ConfigMap)));
    stop.abort();
    await Promise.all(runs);
    expect(JSON.stringify({ namespaces, kindOptions })).toBe(before);
  });
});

/** Returns a transform that marks objects. */
const mark = (text: string) => {
  return <T extends KubeObject>(object: T): T => {
    object.metadata.annotations = { mark: text };
    return object;
  };
};
const markOf = ({ metadata }: DeepReadonly<KubeObject>): string | undefined => metadata.annotations?.mark;

describe("transforms of a cache", () => {
  it("CL-067 are those of the kind, otherwise those for all, for typed and untyped objects and for metadata", async () => {
    await using cached = await caching({
      transform: mark("all"),
      kinds: [
        byObject(ConfigMap, { transform: mark("kind") }),
        byObject(metadataOnly(Node), { transform: mark("own") }),
      ],
    });
    const { cache, namespace } = cached;
    await client().create(Secret, { metadata: { name: "a", namespace } });
    await client().create(Node, { metadata: { name: "marked" } });
    const marks = (kind: Kind, key = `${namespace}/a`) =>
      Promise.all(
        [kind, unstructured({ apiVersion: "v1", kind: kind.kind }), metadataOnly(kind)].map(async (form) =>
          markOf(await cache.get(form, key)),
        ),
      );
    expect(await marks(ConfigMap)).toEqual(["kind", "kind", "kind"]);
    expect(await marks(Secret)).toEqual(["all", "all", "all"]);
    expect(await marks(Node, "marked")).toEqual(["all", "all", "own"]);
    expect(await cache.list(metadataOnly(ConfigMap), { namespace, labels: { tier: "db" } })).toMatchObject([
      { metadata: { name: "b", annotations: { mark: "kind" } } },
    ]);
  });
});

describe("informers of a cache", () => {
  it("CL-068 report every object to their handlers again after ten hours, give or take a tenth", async () => {
    const hourMs = 3_600_000;
    for (const [part, hours] of [
      [0, 9],
      [0.75, 10.5],
    ] as const) {
      const clock = new FakeClock();
      const source = new FakeListWatchClient();
      source.source(ConfigMap).add({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "web" } });
      const options = { clock, random: () => part, stallMs: Number.POSITIVE_INFINITY, useWatchList: false };
      const cache = new InformerCache({ client: source, logger: silentLogger, ...options });
      let notifications = 0;
      cache.getInformer(ConfigMap).addHandler({ updated: () => void notifications++ });
      const stop = new AbortController();
      const run = cache.run(stop.signal);
      await cache.waitForSync();
      await clock.advance(hours * hourMs - 1);
      expect(notifications).toBe(0);
      await clock.advance(1);
      expect(notifications).toBe(1);
      stop.abort();
      await run;
    }
  });

  it.each<Kind>([ConfigMap, unstructured({ apiVersion: "v1", kind: "ConfigMap" }), metadataOnly(ConfigMap)])(
    "CL-069 report objects that are created later to their handlers: %o",
    async (kind) => {
      await using cached = await caching();
      const { cache, namespace } = cached;
      const informer = cache.getInformer(kind);
      const added = new Promise<string>((resolve) => {
        informer.addHandler({
          added: ({ metadata }) => {
            if (metadata.name === `late-${namespace}`) resolve(metadata.name);
          },
        });
      });
      await informer.synced();
      await client().create(ConfigMap, { metadata: { name: `late-${namespace}`, namespace } });
      expect(await added).toBe(`late-${namespace}`);
    },
  );

  it("CL-070 end when they are removed, and start again when they are requested", async () => {
    await using cached = await caching();
    const { cache, namespace } = cached;
    await cache.list(ConfigMap);
    const first = cache.getInformer(ConfigMap);
    await cache.removeInformer(ConfigMap);
    expect(first.isStopped).toBe(true);
    expect(namesOf(await cache.list(ConfigMap, { namespace }))).toEqual(["a", "b", "c"]);
    expect(cache.getInformer(ConfigMap)).not.toBe(first);
    expect(cache.getInformer(ConfigMap).hasSynced).toBe(true);
  });

  it("CL-071 run once", async () => {
    await using cached = await caching();
    await expect(cached.cache.run(new AbortController().signal)).rejects.toThrow("already been started");
    expect(await cached.cache.list(Namespace)).not.toEqual([]);
  });
});
