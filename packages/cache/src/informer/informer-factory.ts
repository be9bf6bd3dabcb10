import {
  type DeepReadonly,
  isMetadataOnly,
  type Kind,
  type KubeObject,
  pluralOf,
  type Stored,
} from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import { defaultLogger, errorText, safeLogger } from "@kubewright/log";
import { clientListWatch, type ListWatchClient } from "../source/client-list-watch.ts";
import type { Indexers } from "../store/index-set.ts";
import { cachedKindKey } from "./cached-kind-key.ts";
import type { Transform } from "./incoming-transform.ts";
import type { InformerMetrics, InformerMetricsProvider } from "./informer-metrics.ts";
import type { InformerName } from "./informer-names.ts";
import { SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";

/**
 * What all informers of a factory have in common. Without a `logger`, warnings and errors go to standard error.
 *
 * @see client-go informers SharedInformerOption
 */
export interface InformerFactoryOptions
  extends Omit<SharedInformerOptions<KubeObject>, "name" | "kind" | "indexers" | "transform" | "metrics">,
    Pick<SelectionOptions, "namespace"> {
  /** Makes the metrics of each informer, of a resource's first one only. Needs `informerName`. Default: none. */
  readonly metrics?: InformerMetricsProvider | undefined;
  /** Under which name the informers have metrics. It is released when the factory ends. */
  readonly informerName?: InformerName | undefined;
}

/** Which objects of a kind {@link InformerFactory.for} is about, and how they are kept. */
export interface InformerOptions<T extends KubeObject> extends SelectionOptions {
  /** Indexes beside the one by namespace. They are added to an informer that exists already. */
  readonly indexers?: Indexers<Stored<DeepReadonly<T>>> | undefined;
  /** Applied once to each object; ignored if the informer exists already. Default: none. */
  readonly transform?: Transform<T> | undefined;
}

/** Some informers had not synced when the wait ended. What went wrong last is in `cause`. */
export class NotSyncedError extends Error {
  override readonly name = "NotSyncedError";
  /** The names of the informers, sorted. */
  readonly unsynced: readonly string[];
  /** Why the wait ended. */
  readonly reason: unknown;

  /** @param lastError what last interrupted one of the informers: a better cause than `reason` */
  constructor(unsynced: readonly string[], reason: unknown, lastError?: unknown) {
    const names = [...unsynced].sort();
    const said = `failed to sync all caches: ${names.join(", ")}: ${errorText(reason)}`;
    super(lastError === undefined ? said : `${said}; last error: ${errorText(lastError)}`, {
      cause: lastError ?? reason,
    });
    this.unsynced = names;
    this.reason = reason;
  }
}

/** An informer of any kind: the part whose type does not depend on the objects. */
type AnyInformer = Pick<SharedInformer<KubeObject>, "run" | "synced" | "lastError">;

/**
 * Shared informers, one for each kind and selection, started and stopped together.
 *
 * @see client-go informers.SharedInformerFactory
 */
export class InformerFactory {
  readonly #client: ListWatchClient;
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, AnyInformer>();
  readonly #running = new Map<string, Promise<void>>();

  /** @throws {RangeError} for `metrics` without `informerName` */
  constructor(client: ListWatchClient, options: InformerFactoryOptions = {}) {
    if (options.metrics && !options.informerName)
      throw new RangeError(
        "metrics: informers without a name cannot be told apart; give informerName: new InformerName(...)",
      );
    this.#client = client;
    this.#options = { ...options, logger: safeLogger(options.logger ?? defaultLogger()) };
  }

  /**
   * The informer of a kind. The same kind and selection give the same informer, to which the indexes are added.
   *
   * @throws {Error} if an index of that name has another function, or if indexes are to be added to an informer that has stopped
   */
  for<T extends KubeObject>(kind: Kind<T>, options: InformerOptions<T> = {}): SharedInformer<T> {
    const { indexers, transform, labels, fields, namespace = this.#options.namespace } = options;
    const selection: SelectionOptions = { namespace, labels, fields };
    const key = informerKey(kind, selection);
    const known = this.#informers.get(key) as SharedInformer<T> | undefined;
    if (known) {
      if (indexers) known.addIndexers(indexers);
      return known;
    }
    const { namespace: _, informerName: __, metrics: ___, ...shared } = this.#options;
    const informer = new SharedInformer<T>(clientListWatch(this.#client, kind, selection), {
      ...shared,
      name: key,
      kind,
      indexers,
      transform,
      metrics: this.#metricsOf(kind, namespace),
    });
    this.#informers.set(key, informer);
    return informer;
  }

  /** Starts every informer that has not been started. They run until the signal aborts; see {@link stopped}. */
  async start(signal: AbortSignal): Promise<void> {
    for (const [key, informer] of this.#informers)
      if (!this.#running.has(key)) this.#running.set(key, informer.run(signal));
  }

  /**
   * Resolves when every informer that was started has synced.
   *
   * @throws {NotSyncedError} if the signal aborts or an informer stops first
   */
  async synced(signal?: AbortSignal): Promise<void> {
    const started = [...this.#informers].filter(([key]) => this.#running.has(key));
    const unsynced: string[] = [];
    await Promise.all(
      started.map(async ([key, informer]) => {
        if (!(await informer.synced(signal))) unsynced.push(key);
      }),
    );
    if (unsynced.length === 0) return;
    const errors = unsynced.map((key) => this.#informers.get(key)?.lastError);
    throw new NotSyncedError(
      unsynced,
      signal?.reason ?? new Error("the informers were stopped"),
      errors.find((error) => error !== undefined),
    );
  }

  /** Resolves when every informer that was started has ended. */
  async stopped(): Promise<void> {
    await Promise.all(this.#running.values());
    if (this.#running.size > 0) this.#options.informerName?.release();
  }

  /** {@link start}, then {@link stopped}. */
  async run(signal: AbortSignal): Promise<void> {
    await this.start(signal);
    await this.stopped();
  }

  #metricsOf(kind: Kind, namespace = ""): InformerMetrics | undefined {
    const { metrics, informerName, logger } = this.#options;
    if (!metrics || !informerName) return undefined;
    const { group, version, plural: resource = pluralOf(kind.kind) } = kind;
    const { name, resource: reporting, isReserved } = informerName.withResource({ group, version, resource }, logger);
    return isReserved
      ? metrics({ name, resource: reporting, namespace, isMetadataOnly: isMetadataOnly(kind) })
      : undefined;
  }
}

/** Which informer: the kind and what limits it. */
function informerKey(kind: Kind, { namespace, labels, fields }: SelectionOptions): string {
  const limits = [
    namespace && `namespace=${namespace}`,
    labels && `labels=${selectorKey(labels)}`,
    fields && `fields=${selectorKey(fields)}`,
  ].filter(Boolean);
  return limits.length === 0 ? cachedKindKey(kind) : `${cachedKindKey(kind)} (${limits.join(", ")})`;
}

const selectorKey = (selector: NonNullable<SelectionOptions["labels"] | SelectionOptions["fields"]>): string =>
  typeof selector === "string" || typeof selector.matches === "function" ? String(selector) : JSON.stringify(selector);
