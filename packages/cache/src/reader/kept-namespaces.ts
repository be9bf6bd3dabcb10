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

/** Settings for all kinds, and for the namespaces to keep. */
export interface CacheDefaults extends DefaultCacheConfig {
  /**
   * Namespaces whose objects are kept, for namespaced kinds; reading from others throws. Default: all. The settings of a namespace take
   * precedence over those of a kind that names no namespaces.
   */
  readonly namespaces?: NamespaceConfigs<DefaultCacheConfig> | undefined;
}

/** Settings that are in effect for one kind. */
export interface Kept<T extends KubeObject> {
  /** Settings by namespace; `""` stands for all others. */
  readonly byNamespace: ReadonlyMap<string, CacheConfig<T>>;
  /** Settings if the kind turns out to be cluster-scoped. */
  readonly whole: CacheConfig<T>;
}

/**
 * Merges the settings of a kind and of the cache. Each setting of a namespace comes from the first of these that has it: the namespace's
 * own entry, the kind, the cache's entry for the namespace, the cache.
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

/** Excludes the objects of namespaces that have settings of their own. */
function without<T extends KubeObject>(namespaces: readonly string[], config: CacheConfig<T>): CacheConfig<T> {
  const named = namespaces.filter((namespace) => namespace !== allNamespaces).sort();
  if (named.length === 0) return config;
  const excluded = named.map((value) => ({ field: "metadata.namespace", operator: "!=", value }) as const);
  const wanted = config.fields === undefined ? [] : fieldSelectorOf(config.fields).requirements;
  return { ...config, fields: FieldSelector.of([...excluded, ...wanted]) };
}

/** Reports whether one informer can serve both: inherited settings are identical values. */
const isSame = <T extends KubeObject>(one: CacheConfig<T>, other: CacheConfig<T>): boolean =>
  (Object.keys(one) as (keyof CacheConfig<T>)[]).every((name) => one[name] === other[name]);
