import {
  type Client,
  controllerOf,
  type DeepReadonly,
  type InformerFactory,
  joinKey,
  keyOf,
  type Logger,
  type ObjectOf,
  type RateLimiter,
  RateLimitingQueue,
  splitKey,
} from "kubewright";
import { Ingress, Service } from "kubewright/kinds";
import { annotation, ingressOf } from "./ingress.ts";

export interface IngressControllerOptions {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly logger: Logger;
  /** Delays of retries. Default: 5 ms, doubled with each failure. */
  readonly rateLimiter?: RateLimiter<string> | undefined;
}

const maxRetries = 10;

/**
 * Controller for the Ingresses of Services. Its handlers add keys of Services
 * to a queue. Its workers create, update or delete the Ingresses of these
 * Services.
 */
export class IngressController {
  readonly #queue: RateLimitingQueue<string>;
  readonly #options: IngressControllerOptions;
  readonly #services;
  readonly #ingresses;

  constructor({ informers, ...options }: IngressControllerOptions) {
    this.#options = { informers, ...options };
    this.#queue = new RateLimitingQueue({ rateLimiter: options.rateLimiter });
    this.#services = informers.for(Service);
    this.#ingresses = informers.for(Ingress);
    this.#services.addHandler({
      added: (service) => this.#queue.add(keyOf(service)),
      updated: (_old, service) => this.#queue.add(keyOf(service)),
    });
    // The controller restores deleted and changed Ingresses, so these events
    // need a reconcile; the creation of an Ingress does not.
    this.#ingresses.addHandler({
      updated: (_old, ingress) => this.#addOwner(ingress),
      deleted: (ingress) => this.#addOwner(ingress),
    });
  }

  #addOwner(ingress: DeepReadonly<ObjectOf<typeof Ingress>>): void {
    const { kind, name } = controllerOf(ingress) ?? {};
    if (kind === "Service" && name)
      this.#queue.add(joinKey(ingress.metadata.namespace, name));
  }

  /**
   * Runs the controller until the signal aborts.
   *
   * @throws {NotSyncedError} if the informers end before they have synced
   */
  async run(workers: number, signal: AbortSignal): Promise<void> {
    await this.#options.informers.synced(signal);
    await Promise.all(
      Array.from({ length: workers }, () => this.#work(signal)),
    );
    this.#queue.shutDown();
  }

  async #work(signal: AbortSignal): Promise<void> {
    for await (const key of this.#queue.items(signal)) {
      await this.#sync(key).then(
        () => this.#queue.forget(key),
        (err: unknown) => this.#retry(key, err),
      );
      this.#queue.done(key);
    }
  }

  #retry(key: string, err: unknown): void {
    const retries = this.#queue.numRequeues(key);
    if (retries < maxRetries) this.#queue.addRateLimited(key);
    else {
      this.#queue.forget(key);
      this.#options.logger.error(
        { err, service: key, retries },
        "giving up until the Service changes",
      );
    }
  }

  async #sync(key: string): Promise<void> {
    const { client, logger } = this.#options;
    const service = this.#services.indexer.get(key);
    // The garbage collector deletes the Ingress of a deleted Service.
    if (!service) return;
    const ingress = this.#ingresses.indexer.get(key);
    const isOwn =
      controllerOf(ingress ?? service)?.uid === service.metadata.uid;
    if (service.metadata.annotations?.[annotation] === undefined) {
      if (!ingress || !isOwn) return;
      await client.delete(Ingress, splitKey(key), {
        preconditions: { uid: ingress.metadata.uid },
      });
      return logger.info({ service: key }, "deleted the Ingress");
    }
    if (ingress && !isOwn)
      throw new Error(
        `Ingress ${key} does not belong to Service ${key}: delete or rename one of them`,
      );
    await client.apply(Ingress, ingressOf(service), { force: true });
    if (!ingress) logger.info({ service: key }, "created the Ingress");
  }
}
