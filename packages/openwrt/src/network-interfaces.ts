import type { Api, CnfCallOptions } from "./api.ts";
import { Collection } from "./collection.ts";
import { interfaceSegment } from "./object-name.ts";
import type { NetworkInterface } from "./records.ts";

/** A CNF's network interfaces, except `lo`. The reference CNF does not list interfaces that are down. */
export class NetworkInterfaces {
  readonly #api: Api;
  readonly #collection: Collection<NetworkInterface>;

  constructor(api: Api) {
    this.#api = api;
    this.#collection = new Collection(api, "v1/interfaces");
  }

  /** Returns all interfaces that the CNF lists. */
  list(options?: CnfCallOptions): Promise<NetworkInterface[]> {
    return this.#collection.list(options);
  }

  /** Returns an interface by its name. @throws {OpenWrtError} 404 if the interface does not exist */
  get(name: string, options?: CnfCallOptions): Promise<NetworkInterface> {
    return this.#collection.get(name, options);
  }

  /**
   * Switches an interface up or down. The reference CNF also accepts interfaces that do not exist.
   *
   * @throws {NameNotStorableError} if the name is not a valid interface name; in this case, nothing is sent
   */
  async set(name: string, state: "up" | "down", options: CnfCallOptions = {}): Promise<void> {
    const path = `sdewan/v1/interfaces/${interfaceSegment(name)}`;
    await this.#api.call({ ...options, method: "PUT", path, body: { action: state } });
  }
}
