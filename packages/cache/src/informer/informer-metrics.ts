import type { GroupVersionResource } from "@kubewright/apimachinery";
import { type Logger, silentLogger } from "@kubewright/log";

/**
 * Metrics for one informer. You can use a metrics library's gauges and histograms as members.
 *
 * @see client-go tools/cache InformerMetricsProvider
 */
export interface InformerMetrics {
  /** Number of entries waiting to be applied. */
  readonly queuedItems: { set(count: number): void };
  /** Time needed to apply a batch of entries, in seconds. */
  readonly processingLatency: { observe(seconds: number): void };
  /** The store's resource version, if it is a number. */
  readonly storeResourceVersion: { set(version: number): void };
}

/** The properties of an informer that a cache or factory passes when it requests metrics. */
export interface ReportingInformer {
  /** Name of the factory's informers; see `InformerName`. */
  readonly name?: string | undefined;
  readonly resource: GroupVersionResource;
  /** Namespace to which the informer is limited. Empty for all namespaces. */
  readonly namespace: string;
  readonly isMetadataOnly: boolean;
}

/** Creates an informer's metrics. Returns `undefined` for an informer that should have none. */
export type InformerMetricsProvider = (informer: ReportingInformer) => InformerMetrics | undefined;

const taken = new Map<string, InformerName>();

/**
 * A name for the informers of one component. It is unique in the process and distinguishes their metrics from those of
 * other components.
 *
 * @see client-go tools/cache/identity.go InformerName
 */
export class InformerName {
  readonly name: string;
  readonly #reserved = new Map<string, { isReserved: boolean }>();
  #isReleased = false;

  /** @throws {Error} if the name is empty, or is in use and has not been released */
  constructor(name: string) {
    if (name === "") throw new Error("informer name cannot be empty");
    if (taken.has(name)) throw new Error(`informer name "${name}" is already registered`);
    this.name = name;
    taken.set(name, this);
  }

  /**
   * Reserves a resource's metrics for one informer, and returns the identity (name and resource) under which the informer reports them. An
   * informer reports metrics only while it holds this reservation. A second call for the same resource logs an error and returns an
   * identity without a reservation.
   *
   * @see client-go tools/cache/identity.go InformerNameAndResource
   */
  withResource(
    resource: GroupVersionResource,
    logger: Logger = silentLogger,
  ): { readonly name: string; readonly resource: GroupVersionResource; readonly isReserved: boolean } {
    const key = `${resource.group}/${resource.version}/${resource.resource}`;
    const isFree = !this.#isReleased && !this.#reserved.has(key);
    if (!isFree)
      logger.error(
        { informerName: this.name, ...resource },
        "informer registered twice; the second one has no metrics",
      );
    const reservation = { isReserved: isFree };
    if (isFree) this.#reserved.set(key, reservation);
    const { name } = this;
    return {
      name,
      resource,
      get isReserved() {
        return reservation.isReserved;
      },
    };
  }

  /** Frees the name and ends its reservations. */
  release(): void {
    this.#isReleased = true;
    for (const reservation of this.#reserved.values()) reservation.isReserved = false;
    this.#reserved.clear();
    if (taken.get(this.name) === this) taken.delete(this.name);
  }
}
