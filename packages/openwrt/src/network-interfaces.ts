import type { Api, CnfCallOptions } from "./api.ts";
import { Collection } from "./collection.ts";
import { interfaceSegment } from "./object-name.ts";
import type { NetworkInterface } from "./records.ts";

/** The interfaces of a CNF, without `lo`. The reference CNF does not list those that are down. */
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

  /** @throws {OpenWrtError} 404 if it does not exist */
  get(name: string, options?: CnfCallOptions): Promise<NetworkInterface> {
    return this.#collection.get(name, options);
  }

  /**
   * Switches the interface up or down. The reference CNF also accepts interfaces that it does not have.
   *
   * @throws {NameNotStorableError} if the name is not valid for an interface; nothing is sent
   */
  async set(name: string, state: "up" | "down", options: CnfCallOptions = {}): Promise<void> {
    const path = `sdewan/v1/interfaces/${interfaceSegment(name)}`;
    await this.#api.call({ ...options, method: "PUT", path, body: { action: state } });
  }
}
