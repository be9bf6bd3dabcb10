import type { Api, CnfCallOptions } from "./api.ts";
import { Collection } from "./collection.ts";
import type { ServiceForwarding } from "./records.ts";

/** Services in the cluster that clients reach through the CNF. Existing forwardings cannot be replaced. */
export class ServiceForwardings {
  readonly #collection: Collection<ServiceForwarding>;

  constructor(api: Api) {
    this.#collection = new Collection(api, "service/v1/services", { slashOnCreate: true });
  }

  /** Returns all forwardings of the CNF. */
  list(options?: CnfCallOptions): Promise<ServiceForwarding[]> {
    return this.#collection.list(options);
  }

  /** Returns a forwarding by its name. @throws {OpenWrtError} 404 if the forwarding does not exist */
  get(name: string, options?: CnfCallOptions): Promise<ServiceForwarding> {
    return this.#collection.get(name, options);
  }

  /** Creates a forwarding. If the service's name cannot be resolved, this takes up to half a minute on the reference CNF. */
  create(record: ServiceForwarding, options?: CnfCallOptions): Promise<ServiceForwarding> {
    return this.#collection.create(record, options);
  }

  /** Deletes a forwarding. The reference CNF also accepts a name that does not exist. */
  delete(name: string, options?: CnfCallOptions): Promise<void> {
    return this.#collection.delete(name, options);
  }
}
