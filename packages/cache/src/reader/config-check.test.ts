import type { Kind } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import { cachedKind } from "./cached-kind.ts";
import { InformerCache, type InformerCacheOptions } from "./informer-cache.ts";

const Pod: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const Node: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };
const withOptions = (options: Partial<InformerCacheOptions>) => () =>
  new InformerCache({ client: new FakeListWatchClient(), ...options });

it.each<[options: Partial<InformerCacheOptions>, text: string]>([
  [{ resyncMs: -1 }, "cache: resyncMs: -1 is not a valid period; use milliseconds, or 0 for never"],
  [{ resyncMs: Number.NaN }, "cache: resyncMs: NaN is not a valid period"],
  [{ labels: "app in (" }, 'cache: labels: "app in (" is not a valid selector: '],
  [
    { fields: "phase" },
    `cache: fields: "phase" is not a valid selector: invalid selector: 'phase'; can't understand 'phase'; write`,
  ],
  [{ namespaces: ["*"] }, 'cache: namespaces: "*" is not a valid namespace name; use a namespace, or ""'],
  [{ namespaces: { web: { labels: "app in (" } } }, 'cache: namespaces["web"]: labels: "app in ("'],
  [{ kinds: [cachedKind(Pod, { resyncMs: -5 })] }, "v1, Kind=Pod: resyncMs: -5 is not a valid period"],
  [
    { kinds: [cachedKind(Pod, { namespaces: ["Web"] })] },
    'v1, Kind=Pod: namespaces: "Web" is not a valid namespace name',
  ],
  [{ kinds: [cachedKind(Pod), cachedKind(Pod)] }, "kinds: v1, Kind=Pod is listed twice; put its settings into one"],
  [
    { kinds: [cachedKind(Node, { namespaces: ["web"] })] },
    'v1, Kind=Node: namespaces: ["web"] is not allowed for a cluster-scoped kind; leave it out',
  ],
])("refuses %o, and reports the remedy", (options, text) => {
  expect(withOptions(options)).toThrow(text);
  expect(withOptions(options)).toThrow(RangeError);
});

it("accepts valid settings", () => {
  const namespaces = { web: { labels: "" }, "": { fields: {} } };
  expect(
    withOptions({ resyncMs: 0, namespaces, kinds: [cachedKind(Node), cachedKind(Pod, { labels: {} })] }),
  ).not.toThrow();
});
