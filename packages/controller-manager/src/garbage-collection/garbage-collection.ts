import type { Kind } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type Clock, untilAborted } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { KindMonitor } from "../discovery/kind-monitor.ts";
import type { AddController } from "../parts/controller-parts.ts";
import { Collector } from "./collector.ts";

interface GarbageCollectionOptions {
  readonly live: Client;
  readonly monitor: KindMonitor;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * True for Events, which are not collected because they expire on their own.
 *
 * @see kubernetes pkg/controller/garbagecollector DefaultIgnoredResources
 */
const isIgnored = ({ group, kind }: Kind): boolean => kind === "Event" && ["", "events.k8s.io"].includes(group);

/** Adds the garbage collector. @see kubernetes pkg/controller/garbagecollector */
export const addGarbageCollector: AddController = ({ manager, monitor, clock }) => {
  const name = "garbage-collector-controller";
  manager.add(
    new GarbageCollection({
      live: manager.apiReader,
      monitor,
      recorder: manager.recorderFor(name),
      clock,
      log: manager.logger.child({ controller: name }),
    }),
  );
};

/**
 * Deletes objects whose owners were deleted. It starts only once all existing objects are known, because an owner that orphans its
 * dependents can be deleted only after all of its dependents have been found.
 *
 * @see kubernetes pkg/controller/garbagecollector
 */
class GarbageCollection {
  readonly group = "others";
  readonly #collector: Collector;
  readonly #monitor: KindMonitor;

  constructor(options: GarbageCollectionOptions) {
    this.#monitor = options.monitor;
    this.#collector = new Collector(options);
    options.monitor.add({
      observe: (kind, object) => {
        if (!isIgnored(kind)) this.#collector.observe(kind, object);
      },
      forget: (_, { metadata }) => this.#collector.forget(metadata.uid ?? ""),
      kindGone: (kind) => this.#collector.forgetKind(kind),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#monitor.synced, untilAborted(signal)]);
    await this.#collector.run(signal);
  }
}
