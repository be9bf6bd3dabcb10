import { FieldSelector, type KubeObject, type Scope } from "@kubewright/apimachinery";
import {
  allNamespaces,
  type CacheConfig,
  type DefaultCacheConfig,
  firstOf,
  type NamespaceConfigs,
} from "./cache-config.ts";
import type { CachedKindOptions } from "./cached-kind.ts";
import { entriesOf } from "./config-check.ts";
import { fieldSelectorOf } from "./field-index.ts";

/** Settings for all kinds, and those of the namespaces to keep. */
export interface CacheDefaults extends DefaultCacheConfig {
  /**
   * Keep only objects of these namespaces, of kinds that are in namespaces; reading from others throws. Default: all. Selectors and
   * the like of a namespace win over those of a kind that names no namespaces.
   */
  readonly namespaces?: NamespaceConfigs<DefaultCacheConfig> | undefined;
}

/** What is to be kept of one kind. */
export interface Kept<T extends KubeObject> {
  /** By namespace; of all others under `""`. */
  readonly byNamespace: ReadonlyMap<string, CacheConfig<T>>;
  /** Of a kind that turns out to be in no namespace. */
  readonly whole: CacheConfig<T>;
}

/**
 * Brings the settings of a kind and of the cache together. For a namespace they are looked for in its own entry, then in those of the
 * kind, then in the cache's entry for the namespace, then in those of the cache.
 *
 * @see controller-runtime pkg/cache defaultOpts
 */
export function keptOf<T extends KubeObject>(
  scope: Scope | undefined,
  own: CachedKindOptions<T>,
  defaults: CacheDefaults,
): Kept<T> {
  const whole = firstOf<T>(own, defaults);
  const chosen = scope === "Cluster" ? [] : entriesOf<CacheConfig<T>>(own.namespaces ?? defaults.namespaces ?? []);
  if (chosen.length === 0) return { byNamespace: new Map([[allNamespaces, whole]]), whole };
  const defaultOf = new Map<string, DefaultCacheConfig>(entriesOf<DefaultCacheConfig>(defaults.namespaces ?? []));
  const resolved = new Map<string, CacheConfig<T>>(
    chosen.map(([namespace, config]) => [namespace, firstOf<T>(config, own, defaultOf.get(namespace) ?? {}, defaults)]),
  );
  const others = resolved.get(allNamespaces);
  if (!others) return { byNamespace: resolved, whole };
  for (const [namespace, config] of resolved)
    if (namespace !== allNamespaces && isSame(config, others)) resolved.delete(namespace);
  resolved.set(allNamespaces, without([...resolved.keys()], others));
  return { byNamespace: resolved, whole };
}

/** Leaves out the objects of the namespaces that have settings of their own. */
function without<T extends KubeObject>(namespaces: readonly string[], config: CacheConfig<T>): CacheConfig<T> {
  const named = namespaces.filter((namespace) => namespace !== allNamespaces).sort();
  if (named.length === 0) return config;
  const excluded = named.map((value) => ({ field: "metadata.namespace", operator: "!=", value }) as const);
  const wanted = config.fields === undefined ? [] : fieldSelectorOf(config.fields).requirements;
  return { ...config, fields: FieldSelector.of([...excluded, ...wanted]) };
}

/** Whether one informer can serve both: where neither names settings, they are the very same. */
const isSame = <T extends KubeObject>(one: CacheConfig<T>, other: CacheConfig<T>): boolean =>
  (Object.keys(one) as (keyof CacheConfig<T>)[]).every((name) => one[name] === other[name]);
