import type { Api, CallOptions } from "./api.ts";
import { Collection } from "./collection.ts";
import { interfaceSegment } from "./object-name.ts";
import type { NetworkInterface } from "./records.ts";

/** The interfaces of a CNF, apart from `lo`. The reference CNF does not show those that are down. */
export class NetworkInterfaces {
  readonly #api: Api;
  readonly #collection: Collection<NetworkInterface>;

  constructor(api: Api) {
    this.#api = api;
    this.#collection = new Collection(api, "v1/interfaces");
  }

  /** All that the CNF shows. */
  list(options?: CallOptions): Promise<NetworkInterface[]> {
    return this.#collection.list(options);
  }

  /** @throws {OpenWrtError} 404 if there is none */
  get(name: string, options?: CallOptions): Promise<NetworkInterface> {
    return this.#collection.get(name, options);
  }

  /**
   * Takes the interface up or down. The reference CNF says yes to interfaces that it does not have.
   *
   * @throws {NameNotStorableError} if no interface can have this name; the CNF is not asked
   */
  async set(name: string, state: "up" | "down", options: CallOptions = {}): Promise<void> {
    const path = `sdewan/v1/interfaces/${interfaceSegment(name)}`;
    await this.#api.call({ ...options, method: "PUT", path, body: { action: state } });
  }
}
