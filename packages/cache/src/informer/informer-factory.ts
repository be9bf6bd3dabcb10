import {
  type DeepReadonly,
  isErrorWithCode,
  isMetadataOnly,
  type Kind,
  type KubeObject,
  KubewrightError,
  type ObjectOf,
  pluralOf,
  type Stored,
} from "@kubewright/apimachinery";
import type { KindGroups, SelectionOptions } from "@kubewright/client";
import { defaultLogger, errorText, safeLogger } from "@kubewright/log";
import type { Transform } from "../body/incoming.ts";
import { clientListWatch, type ListWatchClient } from "../source/client-list-watch.ts";
import type { Indexers } from "../store/indexes.ts";
import type { Lister } from "../store/lister.ts";
import type { InformerMetrics, InformerMetricsProvider, InformerName } from "./informer-metrics.ts";
import { cachedKindKey, SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";

/**
 * Options shared by all informers of a factory. Without a `logger`, warnings and errors go to standard error.
 *
 * @see client-go informers SharedInformerOption
 */
export interface InformerFactoryOptions
  extends Omit<SharedInformerOptions<KubeObject>, "name" | "kind" | "indexers" | "transform" | "metrics">,
    Pick<SelectionOptions, "namespace"> {
  /** Creates the metrics for each informer. Only a resource's first informer has metrics. Requires `informerName`. Default: none. */
  readonly metrics?: InformerMetricsProvider | undefined;
  /** Name under which the informers report metrics. It is released when all informers have stopped. */
  readonly informerName?: InformerName | undefined;
}

/** Options for {@link InformerFactory.for}: selection, indexes and transform. */
export interface InformerOptions<T extends KubeObject> extends SelectionOptions {
  /** Indexes in addition to the index by namespace. If the informer already exists, they are added to it. */
  readonly indexers?: Indexers<Stored<DeepReadonly<T>>> | undefined;
  /** Transform that is applied once to each object. Ignored if the informer already exists. Default: none. */
  readonly transform?: Transform<T> | undefined;
}

/** Thrown if waiting for a sync ends before all informers have synced. `cause` is the most recent error. */
export class NotSyncedError extends KubewrightError {
  override readonly name = "NotSyncedError";
  readonly code = "ERR_INFORMERS_NOT_SYNCED";
  /** Names of the informers that had not synced, sorted. */
  readonly unsynced: readonly string[];
  /** Reason why the wait ended. */
  readonly reason: unknown;

  /** @param lastError most recent error that interrupted one of the informers; used as `cause` instead of `reason` */
  constructor(unsynced: readonly string[], reason: unknown, lastError?: unknown) {
    const names = [...unsynced].sort();
    const message = `failed to sync all caches: ${names.join(", ")}: ${errorText(reason)}`;
    super(lastError === undefined ? message : `${message}; last error: ${errorText(lastError)}`, {
      cause: lastError ?? reason,
    });
    this.unsynced = names;
    this.reason = reason;
  }
}

/** Reports whether an error is a {@link NotSyncedError}. */
export const isNotSyncedError = isErrorWithCode<NotSyncedError>("ERR_INFORMERS_NOT_SYNCED");

/** An informer of any kind: the members whose types do not depend on the objects. */
type AnyInformer = Pick<SharedInformer<KubeObject>, "run" | "synced" | "lastError">;

/**
 * Creates shared informers, one for each kind and selection, and starts and stops them together.
 *
 * @see client-go informers.SharedInformerFactory
 */
export class InformerFactory {
  readonly #client: ListWatchClient;
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, AnyInformer>();
  readonly #running = new Map<string, Promise<void>>();

  /** @throws {RangeError} if `metrics` is given without `informerName` */
  constructor(client: ListWatchClient, options: InformerFactoryOptions = {}) {
    if (options.metrics && !options.informerName)
      throw new RangeError(
        "metrics: informers without a name cannot be distinguished; pass informerName: new InformerName(...)",
      );
    this.#client = client;
    this.#options = { ...options, logger: safeLogger(options.logger ?? defaultLogger()) };
  }

  /**
   * Returns a kind's informer. Calls with the same kind and selection return the same informer and add their indexes to it.
   *
   * @throws {Error} if an index with that name has a different function, or if indexes would be added to a stopped informer
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

  /**
   * Starts every informer that has not been started, and returns immediately. The informers run until the signal aborts; see {@link
   * stopped}.
   */
  async start(signal: AbortSignal): Promise<void> {
    for (const [key, informer] of this.#informers)
      if (!this.#running.has(key)) this.#running.set(key, informer.run(signal));
  }

  /**
   * Resolves when every started informer has synced.
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

  /** Resolves when every started informer has stopped. */
  async stopped(): Promise<void> {
    await Promise.all(this.#running.values());
    if (this.#running.size > 0) this.#options.informerName?.release();
  }

  /** Calls {@link start}, then {@link stopped}. */
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

/** Returns a key that identifies an informer by its kind and selection. */
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

/**
 * A kind's informer, and the lister that reads its store. The factory's `start` method starts the informer only if one
 * of these properties has been read before.
 */
export interface ResourceInformer<T extends KubeObject> {
  readonly informer: SharedInformer<T>;
  readonly lister: Lister<T>;
}

/**
 * A program's informers and listers, keyed by group, version and plural (`factory.samplecrd.v1.networks.lister`), and
 * methods to start and stop all of them.
 *
 * @see code-generator informer-gen SharedInformerFactory
 */
export type Informers<G extends KindGroups> = Pick<InformerFactory, "start" | "synced" | "stopped" | "run"> & {
  readonly [Group in keyof G]: {
    readonly [Version in keyof G[Group]]: {
      readonly [Resource in keyof G[Group][Version]]: ResourceInformer<ObjectOf<G[Group][Version][Resource]>>;
    };
  };
};

const ownNames = ["start", "synced", "stopped", "run"];

/**
 * Returns a function that creates a program's typed informer factory. Replaces the code that informer-gen generates for
 * Go.
 *
 * @throws {Error} if a group has the same name as one of the factory's methods
 * @see code-generator informer-gen, lister-gen
 */
export function informersOf<const G extends KindGroups>(
  groups: G,
): (client: ListWatchClient, options?: InformerFactoryOptions) => Informers<G> {
  const taken = ownNames.find((name) => Object.hasOwn(groups, name));
  if (taken)
    throw new Error(
      `informersOf: a group must not be named ${JSON.stringify(taken)}, because the factory has a method with that name`,
    );
  return (client, options) => {
    const factory = new InformerFactory(client, options);
    const informers = mapped(groups, (versions) =>
      mapped(versions, (kinds) => mapped(kinds, (kind) => resourceInformer(factory, kind))),
    );
    return {
      ...informers,
      start: (signal: AbortSignal) => factory.start(signal),
      synced: (signal?: AbortSignal) => factory.synced(signal),
      stopped: () => factory.stopped(),
      run: (signal: AbortSignal) => factory.run(signal),
    } as unknown as Informers<G>; // the mapped type describes each member
  };
}

const mapped = <V, W>(members: Readonly<Record<string, V>>, map: (member: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)]));

const resourceInformer = <T extends KubeObject>(factory: InformerFactory, kind: Kind<T>): ResourceInformer<T> => ({
  get informer() {
    return factory.for(kind);
  },
  get lister() {
    return factory.for(kind).lister;
  },
});
