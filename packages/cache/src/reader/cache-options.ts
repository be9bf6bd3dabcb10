import {
  type DescribedResource,
  FieldSelector,
  isDns1123Label,
  type Kind,
  type KubeObject,
  type Scope,
} from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import { systemRandom } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import type { IncomingOptions } from "../body/incoming.ts";
import { labelSelectorOf } from "../store/lister.ts";
import { fieldSelectorOf } from "./list-queries.ts";

/** Key in `namespaces` for settings that apply to all namespaces without their own entry. */
export const allNamespaces = "";

/**
 * Determines which objects are cached and how they are stored. An omitted setting is inherited from the next wider
 * scope. To remove an inherited setting, pass `labels: {}`, `fields: {}` or an identity transform.
 *
 * @see controller-runtime pkg/cache Config
 */
export interface CacheConfig<T extends KubeObject = KubeObject>
  extends IncomingOptions<T>,
    Omit<SelectionOptions, "namespace"> {
  /**
   * Resync period in milliseconds, after which handlers receive every object again from memory. Each informer varies the period by up to
   * 10% to spread the load. `false` disables resyncs. Default 10 hours.
   */
  readonly resyncMs?: number | false | undefined;
}

/** A {@link CacheConfig} for objects of any kind. Its transform must not change an object's kind. */
export interface DefaultCacheConfig extends Omit<CacheConfig, "transform"> {
  /**
   * Applied once to each object. It must keep `name` and `namespace`, which identify objects, and must not change `uid` and
   * `creationTimestamp`. Default: none.
   */
  readonly transform?: (<T extends KubeObject>(object: T) => T) | undefined;
}

/**
 * Namespaces to cache: a list, or settings for each namespace. The key `""` applies to all other namespaces. If empty,
 * all namespaces are cached.
 */
export type NamespaceConfigs<C> = readonly string[] | Readonly<Record<string, C>>;

/**
 * Options for one kind in a cache. They also apply to its `metadataOnly` form, unless that form has its own settings.
 *
 * @see controller-runtime pkg/cache ByObject
 */
export interface CachedKindOptions<T extends KubeObject> extends CacheConfig<T> {
  /**
   * Namespaces whose objects are cached; reading from other namespaces throws. An empty list caches all. Default: the cache's namespaces.
   * Not allowed for cluster-scoped kinds.
   */
  readonly namespaces?: NamespaceConfigs<CacheConfig<T>> | undefined;
}

/** A kind and its cache options. Created by {@link byObject}. */
export interface CachedKind {
  readonly kind: Kind;
  /** Calls `configure` with the kind and its options. */
  applyTo(configure: <T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T>) => void): void;
}

/** Creates an entry for an `InformerCache`'s `kinds` option: `byObject(Pod, { labels: { app: "shop" } })`. */
export const byObject = <T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T> = {}): CachedKind => ({
  kind,
  applyTo: (configure) => configure(kind, options),
});

/** Settings for all kinds, and the namespaces to cache. */
export interface CacheDefaults extends DefaultCacheConfig {
  /**
   * Namespaces whose objects are cached, for namespaced kinds; reading from other namespaces throws. Default: all. A namespace's settings
   * take precedence over those of a kind that lists no namespaces.
   */
  readonly namespaces?: NamespaceConfigs<DefaultCacheConfig> | undefined;
}

/** The resources and namespaces that a cache reads; the program needs permissions for them. */
export interface CacheDescription {
  /** The resources. If absent, all resources that no other description contains. */
  readonly resources?: readonly DescribedResource[] | undefined;
  /** The namespaces. If absent, all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
}

/** Effective settings for one kind. */
export interface Kept<T extends KubeObject> {
  /** Settings, keyed by namespace. The key `""` means all other namespaces. */
  readonly byNamespace: ReadonlyMap<string, CacheConfig<T>>;
  /** Settings if the kind turns out to be cluster-scoped. */
  readonly whole: CacheConfig<T>;
}

/**
 * Merges a kind's settings with those of the cache. For each namespace, a setting is taken from the first of these that
 * defines it: the kind's entry for the namespace, the kind, the cache's entry for the namespace, the cache.
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

/** Merges settings: each value is taken from the first argument that sets it. */
function firstOf<T extends KubeObject>(...configs: readonly CacheConfig<T>[]): CacheConfig<T> {
  const pick = <K extends keyof CacheConfig<T>>(name: K): CacheConfig<T>[K] | undefined =>
    configs.find((config) => config[name] !== undefined)?.[name];
  return {
    labels: pick("labels"),
    fields: pick("fields"),
    transform: pick("transform"),
    resyncMs: pick("resyncMs"),
    freeze: pick("freeze"),
    managedFields: pick("managedFields"),
    deferBodies: pick("deferBodies"),
  };
}

/** Excludes objects in namespaces that have their own settings. */
function without<T extends KubeObject>(namespaces: readonly string[], config: CacheConfig<T>): CacheConfig<T> {
  const named = namespaces.filter((namespace) => namespace !== allNamespaces).sort();
  if (named.length === 0) return config;
  const excluded = named.map((value) => ({ field: "metadata.namespace", operator: "!=", value }) as const);
  const wanted = config.fields === undefined ? [] : fieldSelectorOf(config.fields).requirements;
  return { ...config, fields: FieldSelector.of([...excluded, ...wanted]) };
}

/** Reports whether one informer can serve both configurations. Inherited settings are compared by identity. */
const isSame = <T extends KubeObject>(one: CacheConfig<T>, other: CacheConfig<T>): boolean =>
  (Object.keys(one) as (keyof CacheConfig<T>)[]).every((name) => one[name] === other[name]);

/** Returns the resync period of one informer, with jitter. @see controller-runtime pkg/cache/internal resyncPeriod */
export const jitteredResyncMs = (
  resyncMs: number | false = tenHoursMs,
  random: () => number = systemRandom.number,
): number | false => resyncMs && resyncMs * (0.9 + random() / 5);

/** Returns the names of the cached namespaces, or `undefined` if all namespaces are cached. */
export function keptNamespaces(namespaces: NamespaceConfigs<object> = []): readonly string[] | undefined {
  const names = entriesOf<object>(namespaces).map(([namespace]) => namespace);
  return names.length === 0 || names.includes(allNamespaces) ? undefined : names.toSorted();
}

/** The settings to validate. */
type Checked = Pick<CacheConfig, "labels" | "fields" | "resyncMs">;

/**
 * Validates settings.
 *
 * @param where owner of the settings, for error messages
 * @throws {RangeError} if a setting is invalid; the message contains the field, its value and the remedy
 */
export function checkSettings(
  where: string,
  settings: Checked & { readonly namespaces?: NamespaceConfigs<Checked> | undefined },
): void {
  checkConfig(where, settings);
  for (const [namespace, config] of entriesOf<Checked>(settings.namespaces ?? [])) {
    const field = `${where}: namespaces`;
    if (namespace !== allNamespaces && isDns1123Label(namespace).length > 0)
      throw new RangeError(
        `${field}: ${JSON.stringify(namespace)} is not a valid namespace name; use a namespace, or "" (allNamespaces) for all others`,
      );
    checkConfig(`${field}[${JSON.stringify(namespace)}]`, config);
  }
}

function checkConfig(where: string, { labels, fields, resyncMs }: Checked): void {
  if (resyncMs !== undefined && resyncMs !== false && !(resyncMs > 0 && Number.isFinite(resyncMs)))
    throw new RangeError(
      `${where}: resyncMs: ${resyncMs} is not a valid period; use milliseconds, or false for no resyncs`,
    );
  check(`${where}: labels`, labels, 'app=shop or { app: "shop" }', () => labelSelectorOf(labels));
  check(
    `${where}: fields`,
    fields,
    'status.phase!=Failed or { "spec.nodeName": "a" }',
    () => fields === undefined || fieldSelectorOf(fields),
  );
}

function check(field: string, value: unknown, remedy: string, parse: () => unknown): void {
  try {
    parse();
  } catch (cause) {
    const message = errorText(cause);
    throw new RangeError(`${field}: ${JSON.stringify(value)} is not a valid selector: ${message}; write ${remedy}`, {
      cause,
    });
  }
}

/** Returns each namespace with its settings. */
const entriesOf = <C extends object>(
  namespaces: NamespaceConfigs<C>,
): readonly (readonly [namespace: string, config: C | Record<never, never>])[] =>
  isList(namespaces) ? namespaces.map((namespace) => [namespace, {}] as const) : Object.entries(namespaces);

const isList = (namespaces: NamespaceConfigs<unknown>): namespaces is readonly string[] => Array.isArray(namespaces);

const tenHoursMs = 10 * 60 * 60 * 1_000;
