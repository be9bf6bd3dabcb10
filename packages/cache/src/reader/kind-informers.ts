import {
  type DeepReadonly,
  gvkKey,
  isMetadataOnly,
  type Kind,
  type KubeObject,
  pluralOf,
  type Stored,
} from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { errorText, silentLogger } from "@kubewright/log";
import type { InformerMetricsProvider } from "../informer/informer-metrics.ts";
import { cachedKindKey, SharedInformer } from "../informer/shared-informer.ts";
import type { ReflectorOptions } from "../reflector/reflector.ts";
import { ReflectorBackoff, WatchErrorReports } from "../reflector/retrying.ts";
import { clientListWatch, type ListWatchClient } from "../source/client-list-watch.ts";
import type { Indexers } from "../store/indexes.ts";
import {
  type CacheConfig,
  type CacheDefaults,
  type CachedKindOptions,
  jitteredResyncMs,
  type Kept,
  keptOf,
} from "./cache-options.ts";
import { type ClusterWide, InformerGroup, type UnclearScope } from "./informer-group.ts";
import type { KeptPart } from "./kept-part.ts";

/** Options shared by all informers in a cache. */
export interface CommonInformerOptions
  extends Omit<ReflectorOptions, "name" | "kind" | "resyncMs" | "shouldResync">,
    CacheDefaults {
  readonly client: ListWatchClient;
  /** Creates the metrics for each informer. Default: none. */
  readonly metrics?: InformerMetricsProvider | undefined;
}

/** The informers for one kind, and their settings. */
export class KindInformers<T extends KubeObject> {
  readonly group: InformerGroup<T>;
  readonly #kind: Kind<T>;
  readonly #indexers: Indexers<Stored<DeepReadonly<T>>>;
  readonly #options: CommonInformerOptions;
  readonly #configs = new Map<SharedInformer<T>, CacheConfig<T>>();
  readonly #part: KeptPart | undefined;

  /** @param part part of the objects to keep. Ignored if the kind's settings limit its namespaces. */
  constructor(
    kind: Kind<T>,
    own: CachedKindOptions<T>,
    indexers: Indexers<Stored<DeepReadonly<T>>>,
    options: CommonInformerOptions,
    part?: KeptPart,
  ) {
    this.#kind = kind;
    this.#indexers = indexers;
    this.#options = options;
    const kept = keptOf(kind.scope, own, options);
    this.#part = kept.byNamespace.size === 1 && kept.byNamespace.has("") ? part : undefined;
    const members = [...kept.byNamespace].map(
      ([namespace, config]) => [namespace, this.#informer(namespace, config)] as const,
    );
    this.group = new InformerGroup(cachedKindKey(kind), new Map(members), this.#unclear(own, kept), this.#part);
  }

  /** Returns a namespace's settings, or `undefined` if the namespace is not cached. */
  configOf(namespace: string | undefined): CacheConfig<T> | undefined {
    const [informer] = this.group.of(namespace);
    return informer && this.#configs.get(informer);
  }

  #unclear(own: CachedKindOptions<T>, { byNamespace, whole }: Kept<T>): UnclearScope<T> | undefined {
    const kind = this.#kind;
    const { mapper } = this.#options.client;
    const isLimited = byNamespace.size > 1 || !byNamespace.has("");
    if (kind.scope !== undefined || !mapper || !isLimited) return undefined;
    const refuse = own.namespaces === undefined ? undefined : () => inNoNamespace(cachedKindKey(kind), own);
    return {
      isClusterWide: clusterWide(mapper, kind, this.#options, refuse),
      whole: this.#informer("", whole),
    };
  }

  #informer(namespace: string, config: CacheConfig<T>): SharedInformer<T> {
    const { client, metrics: metricsOf, namespaces: _, ...shared } = this.#options;
    const { labels, fields, resyncMs, ...incoming } = config;
    const kind = this.#kind;
    const { group, version, plural: resource = pluralOf(kind.kind) } = kind;
    const isPartial = isMetadataOnly(kind);
    const source = clientListWatch(client, kind, { namespace: namespace || undefined, labels, fields });
    const informer = new SharedInformer<T>(this.#part?.limit(source) ?? source, {
      ...shared,
      ...incoming,
      name: cachedKindKey(kind),
      kind,
      indexers: this.#indexers,
      resyncMs: jitteredResyncMs(resyncMs, shared.random),
      metrics: metricsOf?.({ resource: { group, version, resource }, namespace, isMetadataOnly: isPartial }),
    });
    this.#configs.set(informer, config);
    return informer;
  }
}

type ClusterWideOptions = Pick<ReflectorOptions, "clock" | "logger" | "onError" | "random" | "backoff">;

/**
 * Returns a function that queries the server until it reports whether a kind is cluster-scoped, or the signal aborts. Failures are reported
 * as watch errors.
 *
 * @param namespaced creates the error to throw if the kind must be namespaced, but is cluster-scoped
 */
function clusterWide(
  mapper: NonNullable<ListWatchClient["mapper"]>,
  kind: Kind,
  options: ClusterWideOptions,
  namespaced?: () => Error,
): ClusterWide {
  const { clock = systemClock, random, backoff, logger = silentLogger, onError } = options;
  return async (signal, noteError) => {
    const errors = new WatchErrorReports({ logger, onError });
    const delays = new ReflectorBackoff(clock, { ...backoff, random: backoff?.random ?? random });
    while (!signal.aborted) {
      let isWhole: boolean;
      try {
        isWhole = (await mapper.mappingFor(kind)).scope === "Cluster";
      } catch (cause) {
        const error = new Error(`failed to determine whether ${gvkKey(kind)} is namespaced: ${errorText(cause)}`, {
          cause,
        });
        noteError(error);
        errors.report(error);
        await delays.wait(signal);
        continue;
      }
      if (!isWhole || !namespaced) return isWhole;
      const refusal = namespaced();
      errors.report(refusal);
      throw refusal;
    }
    return false;
  };
}

/** Creates the error for namespaces that were configured for a cluster-scoped kind. */
export const inNoNamespace = (name: string, { namespaces }: { readonly namespaces?: unknown }): RangeError =>
  new RangeError(
    `${name}: namespaces: ${JSON.stringify(namespaces)} is not allowed for a cluster-scoped kind; omit it`,
  );
