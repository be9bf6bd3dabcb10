import type { Api, CallOptions } from "./api.ts";
import { Collection } from "./collection.ts";
import type { ServiceForwarding } from "./records.ts";

/** Cluster services made reachable through the CNF. They cannot be replaced. */
export class ServiceForwardings {
  readonly #collection: Collection<ServiceForwarding>;

  constructor(api: Api) {
    this.#collection = new Collection(api, "service/v1/services", { slashOnCreate: true });
  }

  /** All that the CNF has. */
  list(options?: CallOptions): Promise<ServiceForwarding[]> {
    return this.#collection.list(options);
  }

  /** @throws {OpenWrtError} 404 if there is none */
  get(name: string, options?: CallOptions): Promise<ServiceForwarding> {
    return this.#collection.get(name, options);
  }

  /** Up to half a minute on the reference CNF, while the service's name does not resolve. */
  create(record: ServiceForwarding, options?: CallOptions): Promise<ServiceForwarding> {
    return this.#collection.create(record, options);
  }

  /** The reference CNF says yes to a name that it does not have. */
  delete(name: string, options?: CallOptions): Promise<void> {
    return this.#collection.delete(name, options);
  }
}
