import type { KubeObject } from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import type { IncomingOptions } from "../informer/incoming-transform.ts";

/** The key under which settings for all namespaces stand that have none of their own. */
export const allNamespaces = "";

/**
 * What a cache keeps, and how. What is left out comes from the next wider settings; `labels: {}`, `fields: {}` and an identity
 * transform keep that from happening.
 *
 * @see controller-runtime pkg/cache Config
 */
export interface CacheConfig<T extends KubeObject = KubeObject>
  extends IncomingOptions<T>,
    Omit<SelectionOptions, "namespace"> {
  /**
   * How often handlers are told of every object again, from memory. Each informer takes up to 10 % more or less, so that not all are
   * due at once. 0: never. Default 10 hours.
   */
  readonly resyncMs?: number | undefined;
}

/** A {@link CacheConfig} for objects of any kind, which its transform has to leave of their kind. */
export interface DefaultCacheConfig extends Omit<CacheConfig, "transform"> {
  /**
   * Applied once to each object. It must keep `name` and `namespace`, by which objects are told apart, and leave `uid` and
   * `creationTimestamp` alone. Default: none.
   */
  readonly transform?: (<T extends KubeObject>(object: T) => T) | undefined;
}

/** Namespaces to keep: a list, or settings for each, of which `""` stands for all others. None: all namespaces. */
export type NamespaceConfigs<C> = readonly string[] | Readonly<Record<string, C>>;

/** The first of several settings that says something, for each of them. */
export function firstOf<T extends KubeObject>(...configs: readonly CacheConfig<T>[]): CacheConfig<T> {
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

const tenHoursMs = 10 * 60 * 60 * 1_000;

/** The period of one informer. @see controller-runtime pkg/cache/internal resyncPeriod */
export const jitteredResyncMs = (resyncMs: number = tenHoursMs, random: () => number = Math.random): number =>
  resyncMs * (0.9 + random() / 5);
