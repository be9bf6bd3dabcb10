import { withRetries } from "@kubewright/apiserver/server";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { everything, type Storage, type StoredObject } from "@kubewright/storage";
import type { ServiceObjects } from "../status/check-availability.ts";

const services = "/core/services/";
const slices = "/discovery.k8s.io/endpointslices/";
const serviceLabel = "kubernetes.io/service-name";

interface FollowerOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Watches Services and their endpoints, and reports all writes. Starts watching when it is created. */
export class ServiceFollower {
  /** Resolves once the watches have ended after a call to {@link stop}. */
  readonly stopped: Promise<unknown>;
  readonly #stopping = new AbortController();

  constructor(options: FollowerOptions, changed: (namespace: string, name: string) => void) {
    const { signal } = this.#stopping;
    const follow = async (prefix: string, nameOf: (object: StoredObject) => string | undefined): Promise<void> => {
      const work = async (): Promise<void> => {
        for await (const event of options.storage.watch(prefix, { predicate: everything, signal })) {
          if (event.type === "BOOKMARK") continue;
          const name = nameOf(event.object);
          if (name !== undefined) changed(event.object.metadata.namespace ?? "", name);
        }
      };
      while (!signal.aborted) await withRetries(work, { ...options, what: "cannot follow Services", signal });
    };
    this.stopped = Promise.all([
      follow(services, ({ metadata }) => metadata.name),
      follow(slices, ({ metadata }) => metadata.labels?.[serviceLabel]),
    ]);
  }

  stop(): void {
    this.#stopping.abort();
  }
}

/** Reads Services and their endpoints from the storage. */
export const serviceObjects = (storage: Storage): ServiceObjects => ({
  service: async (namespace, name) => storage.get(`${services}${namespace}/${name}`, { ignoreNotFound: true }),
  endpointSlices: async (namespace, name) => {
    const { items } = await storage.getList(`${slices}${namespace}/`, { predicate: everything });
    return items.filter(({ metadata }) => metadata.labels?.[serviceLabel] === name);
  },
});
