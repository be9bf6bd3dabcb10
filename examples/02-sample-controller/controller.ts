import {
  type EventRecorder,
  isNotFound,
  keyOf,
  type Logger,
  RateLimitingQueue,
} from "kubewright";
import type { informers } from "./clientset.ts";

export interface NetworkControllerOptions {
  readonly networks: ReturnType<
    typeof informers
  >["samplecrd"]["v1"]["networks"];
  readonly recorder: EventRecorder;
  readonly logger: Logger;
}

/**
 * Controller for Networks. Its handlers add keys to a queue. Its workers take
 * keys from the queue and read the current object from the lister.
 */
export class NetworkController {
  readonly #queue = new RateLimitingQueue<string>();
  readonly #options: NetworkControllerOptions;

  constructor(options: NetworkControllerOptions) {
    this.#options = options;
    options.networks.informer.addHandler({
      added: (network) => this.#queue.add(keyOf(network)),
      updated: (old, network) => {
        // A resync also reports unchanged objects.
        if (old.metadata.resourceVersion !== network.metadata.resourceVersion)
          this.#queue.add(keyOf(network));
      },
      deleted: (network) => this.#queue.add(keyOf(network)),
    });
  }

  /**
   * Runs the controller until the signal aborts.
   *
   * @throws {Error} if the informer ends before it has synced
   */
  async run(workers: number, signal: AbortSignal): Promise<void> {
    if (!(await this.#options.networks.informer.synced(signal))) {
      if (signal.aborted) return;
      throw new Error("the informer of networks ended before it synced");
    }
    await Promise.all(
      Array.from({ length: workers }, () => this.#work(signal)),
    );
    this.#queue.shutDown();
  }

  async #work(signal: AbortSignal): Promise<void> {
    for await (const key of this.#queue.items(signal)) {
      try {
        this.#sync(key);
        this.#queue.forget(key);
      } catch (err) {
        this.#options.logger.error(
          { err, network: key },
          "sync failed, retrying later",
        );
        this.#queue.addRateLimited(key);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  /**
   * A real controller would query an external system for the network here, and
   * compare the result with the object.
   */
  #sync(key: string): void {
    const { networks, recorder, logger } = this.#options;
    try {
      const network = networks.lister.get(key);
      logger.info({ network: key, cidr: network.spec.cidr }, "set up");
      recorder.event(network, {
        reason: "Synced",
        note: `Network ${network.spec.cidr} is set up`,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      logger.info({ network: key }, "taken down");
    }
  }
}
