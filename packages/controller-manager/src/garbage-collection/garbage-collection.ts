import { type DeepReadonly, gvkKey, type Kind, type KubeObject } from "@kubewright/apimachinery";
import type { HandlerRegistration, InformerCache } from "@kubewright/cache";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { deletableKinds } from "../discovery/deletable-kinds.ts";
import { Collector } from "./collector.ts";

export interface GarbageCollectionOptions {
  readonly live: Client;
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How often the server is asked which kinds there are, beside each time that a CustomResourceDefinition changes. */
const rediscoverMs = 30_000;

/**
 * Watches every kind that the server has and tells the collector what it sees.
 *
 * @see kubernetes pkg/controller/garbagecollector/graph_builder.go
 */
export class GarbageCollection {
  readonly group = "others";
  readonly #options: GarbageCollectionOptions;
  readonly #collector: Collector;
  readonly #monitored = new Map<string, { readonly kind: Kind; readonly registration: HandlerRegistration }>();
  #wake = Promise.withResolvers<void>();

  constructor(options: GarbageCollectionOptions) {
    this.#options = options;
    this.#collector = new Collector(options);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#collector.run(signal), this.#follow(signal)]);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const definitions = await this.#options.cache.getInformer(CustomResourceDefinition);
    const wake = (): void => this.#wake.resolve();
    definitions.addHandler({ added: wake, updated: wake, deleted: wake });
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers<void>();
      let pauseMs = rediscoverMs;
      try {
        await this.#monitorAll(await deletableKinds(this.#options.live));
      } catch (err) {
        if (signal.aborted) return;
        log.debug({ err }, "could not find out which kinds there are, trying again");
        pauseMs = 1_000;
      }
      await Promise.race([clock.sleep(pauseMs, signal), this.#wake.promise]);
    }
  }

  async #monitorAll(kinds: readonly Kind[]): Promise<void> {
    const present = new Set(kinds.map(gvkKey));
    for (const [id, { kind, registration }] of this.#monitored) {
      if (present.has(id)) continue;
      this.#monitored.delete(id);
      registration.remove();
      this.#options.cache.removeInformer(kind);
    }
    for (const kind of kinds) {
      if (this.#monitored.has(gvkKey(kind))) continue;
      const informer = await this.#options.cache.getInformer(kind);
      const registration = informer.addHandler({
        added: (object) => this.#collector.observe(kind, object),
        updated: (_, object) => this.#collector.observe(kind, object),
        deleted: (object) => this.#forget(object),
      });
      this.#monitored.set(gvkKey(kind), { kind, registration });
    }
  }

  #forget(object: DeepReadonly<KubeObject>): void {
    this.#collector.forget(object);
  }
}
