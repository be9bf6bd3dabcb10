import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import {
  byObject,
  type CacheConfig,
  type CacheDefaults,
  type CachedKindOptions,
  jitteredResyncMs,
  keptOf,
} from "./cache-options.ts";
import { InformerCache, type InformerCacheOptions } from "./informer-cache.ts";

const Pod: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const Node: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };
const withOptions = (options: Partial<InformerCacheOptions>) => () =>
  new InformerCache({ client: new FakeListWatchClient(), ...options });

it.each<[options: Partial<InformerCacheOptions>, text: string]>([
  [{ resyncMs: -1 }, "cache: resyncMs: -1 is not a valid period; use milliseconds, or false for no resyncs"],
  [{ resyncMs: 0 }, "cache: resyncMs: 0 is not a valid period; use milliseconds, or false for no resyncs"],
  [{ resyncMs: Number.NaN }, "cache: resyncMs: NaN is not a valid period"],
  [{ labels: "app in (" }, 'cache: labels: "app in (" is not a valid selector: '],
  [
    { fields: "phase" },
    `cache: fields: "phase" is not a valid selector: invalid selector: 'phase'; can't understand 'phase'; write`,
  ],
  [{ namespaces: ["*"] }, 'cache: namespaces: "*" is not a valid namespace name; use a namespace, or ""'],
  [{ namespaces: { web: { labels: "app in (" } } }, 'cache: namespaces["web"]: labels: "app in ("'],
  [{ kinds: [byObject(Pod, { resyncMs: -5 })] }, "v1, Kind=Pod: resyncMs: -5 is not a valid period"],
  [
    { kinds: [byObject(Pod, { namespaces: ["Web"] })] },
    'v1, Kind=Pod: namespaces: "Web" is not a valid namespace name',
  ],
  [{ kinds: [byObject(Pod), byObject(Pod)] }, "kinds: v1, Kind=Pod is listed twice; merge its settings into one"],
  [
    { kinds: [byObject(Node, { namespaces: ["web"] })] },
    'v1, Kind=Node: namespaces: ["web"] is not allowed for a cluster-scoped kind; omit it',
  ],
])("refuses %o, and reports the remedy", (options, text) => {
  expect(withOptions(options)).toThrow(text);
  expect(withOptions(options)).toThrow(RangeError);
});

it("accepts valid settings", () => {
  const namespaces = { web: { labels: "" }, "": { fields: {} } };
  expect(
    withOptions({ resyncMs: false, namespaces, kinds: [byObject(Node), byObject(Pod, { labels: {} })] }),
  ).not.toThrow();
});

const kept = (own: CachedKindOptions<KubeObject>, defaults: CacheDefaults, scope?: "Cluster" | "Namespaced") => {
  const { byNamespace } = keptOf(scope ?? "Namespaced", own, defaults);
  return Object.fromEntries(
    [...byNamespace].map(([namespace, config]) => [
      namespace,
      Object.fromEntries(
        Object.entries(config).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, name === "fields" ? String(value) : value]],
        ),
      ),
    ]),
  );
};

const one = <T extends KubeObject>(object: T): T => object;
const two = <T extends KubeObject>(object: T): T => object;

describe("the settings of a kind", () => {
  it.each<[what: string, own: CachedKindOptions<KubeObject>, defaults: CacheDefaults, kept: Record<string, unknown>]>([
    ["all, by default", {}, {}, { "": {} }],
    [
      "by the defaults",
      {},
      { labels: "a", resyncMs: 5, transform: one },
      { "": { labels: "a", resyncMs: 5, transform: one } },
    ],
    [
      "by the kind",
      { labels: "k", transform: two },
      { labels: "a", fields: "f=1", transform: one },
      { "": { labels: "k", fields: "f=1", transform: two } },
    ],
    ["by the kind, which overrides with none", { labels: {} }, { labels: "a" }, { "": { labels: {} } }],
    [
      "of the default namespaces",
      {},
      { namespaces: ["x", "y"], labels: "a" },
      { x: { labels: "a" }, y: { labels: "a" } },
    ],
    ["of the kind's namespaces", { namespaces: ["z"] }, { namespaces: ["x"], labels: "a" }, { z: { labels: "a" } }],
    [
      "of all namespaces, if the kind names none",
      { namespaces: [] },
      { namespaces: ["x"], labels: "a" },
      { "": { labels: "a" } },
    ],
    [
      "by the kind's namespace",
      { labels: "k", namespaces: { x: { labels: "n" }, y: {} } },
      { labels: "a" },
      { x: { labels: "n" }, y: { labels: "k" } },
    ],
    [
      "by the kind, then the default namespace, then the defaults",
      { labels: "k", namespaces: ["x", "y"] },
      { namespaces: { x: { labels: "n", fields: "n=1" } }, labels: "a", fields: "a=1", resyncMs: false },
      { x: { labels: "k", fields: "n=1", resyncMs: false }, y: { labels: "k", fields: "a=1", resyncMs: false } },
    ],
    [
      "by the default namespace before the kind, if the kind names no namespaces",
      { labels: "k", fields: "k=1" },
      { namespaces: { x: { labels: "n" } }, labels: "a" },
      { x: { labels: "n", fields: "k=1" } },
    ],
    [
      "of all other namespaces by the entry with the empty name",
      { namespaces: { y: { labels: "n" }, x: { labels: "m" }, "": { fields: "f=1" } } },
      { labels: "a" },
      {
        y: { labels: "n" },
        x: { labels: "m" },
        "": { labels: "a", fields: "metadata.namespace!=x,metadata.namespace!=y,f=1" },
      },
    ],
    [
      "once, if a namespace has the same settings as all others",
      {},
      { namespaces: ["x", ""], labels: "a" },
      { "": { labels: "a" } },
    ],
    [
      "frozen or not, parsed or not",
      { freeze: false },
      { freeze: true, deferBodies: false, managedFields: "all" },
      { "": { freeze: false, deferBodies: false, managedFields: "all" } },
    ],
  ])("is %s", (_, own, defaults, expected) => {
    expect(kept(own, defaults)).toEqual(expected);
  });

  it("apply to the whole kind if it is cluster-scoped", () => {
    expect(kept({}, { namespaces: ["x"], labels: "a" }, "Cluster")).toEqual({ "": { labels: "a" } });
    const { whole } = keptOf(undefined, { labels: "k" }, { namespaces: { x: { labels: "n" } }, fields: "a=1" });
    expect(whole).toMatchObject({ labels: "k", fields: "a=1" } satisfies CacheConfig);
  });
});

it("default to a resync period of ten hours, plus or minus a tenth", () => {
  const hourMs = 3_600_000;
  expect([0, 0.5, 1].map((part) => jitteredResyncMs(undefined, () => part))).toEqual([
    9 * hourMs,
    10 * hourMs,
    11 * hourMs,
  ]);
  expect(jitteredResyncMs(false, () => 0.7)).toBe(false);
});
