import type { KubeObject } from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import type { IncomingOptions } from "../informer/shared-informer.ts";

/** Key in `namespaces` for the settings of all namespaces that have no entry of their own. */
export const allNamespaces = "";

/**
 * Selects the objects that a cache keeps, and sets how it stores them. A setting that is left out is inherited from the next wider
 * settings; `labels: {}`, `fields: {}` and an identity transform override inherited ones.
 *
 * @see controller-runtime pkg/cache Config
 */
export interface CacheConfig<T extends KubeObject = KubeObject>
  extends IncomingOptions<T>,
    Omit<SelectionOptions, "namespace"> {
  /**
   * Period in milliseconds in which handlers receive every object again, from memory. Each informer varies it by up to 10 %, so that they
   * are not all due at once. 0 means never. Default 10 hours.
   */
  readonly resyncMs?: number | undefined;
}

/** A {@link CacheConfig} for objects of any kind. Its transform must not change the kind of an object. */
export interface DefaultCacheConfig extends Omit<CacheConfig, "transform"> {
  /**
   * Applied once to each object. It must keep `name` and `namespace`, which identify objects, and must not change `uid` and
   * `creationTimestamp`. Default: none.
   */
  readonly transform?: (<T extends KubeObject>(object: T) => T) | undefined;
}

/** Namespaces to keep: a list, or settings for each; `""` stands for all others. If empty, all namespaces are kept. */
export type NamespaceConfigs<C> = readonly string[] | Readonly<Record<string, C>>;

/** Merges settings: each value is taken from the first argument that sets it. */
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

/** Returns the resync period of one informer, with jitter. @see controller-runtime pkg/cache/internal resyncPeriod */
export const jitteredResyncMs = (resyncMs: number = tenHoursMs, random: () => number = Math.random): number =>
  resyncMs * (0.9 + random() / 5);
