import type { Api, CnfCallOptions } from "./api.ts";
import { OpenWrtError } from "./errors.ts";

/** The services whose configuration can be changed through the API of a CNF. */
export type ServiceName = "mwan3" | "firewall" | "ipsec";
/** Actions on a service. For `mwan3` and `ipsec`, `reload` does the same as `restart`. */
export type ServiceActionName = "start" | "stop" | "restart" | "reload";

const names: readonly string[] = ["mwan3", "firewall", "ipsec"];

/** A service of the CNF. Changes of its configuration take effect after a restart or reload. */
export class CnfService {
  readonly name: ServiceName;
  readonly #api: Api;
  readonly #timeoutMs: number;

  /** @throws {OpenWrtError} 400 for a service that CNFs do not have */
  constructor(api: Api, name: ServiceName, timeoutMs: number) {
    if (!names.includes(name)) throw new OpenWrtError(400, `Bad Request: not supported service(${name})`);
    this.#api = api;
    this.name = name;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves once the CNF has performed the action. */
  async perform(action: ServiceActionName, options: CnfCallOptions = {}): Promise<void> {
    const path = `sdewan/v1/service/${this.name}`;
    await this.#api.call({ ...options, method: "PUT", path, body: { action }, timeoutMs: this.#timeoutMs });
  }

  /** Same as `perform("start")`. */
  start(options?: CnfCallOptions): Promise<void> {
    return this.perform("start", options);
  }

  /** Same as `perform("stop")`. Removes what the service has set up. */
  stop(options?: CnfCallOptions): Promise<void> {
    return this.perform("stop", options);
  }

  /** On the reference CNF, a restart of the firewall drops the rules of `nat` and `networkfirewall`; a reload does not. */
  restart(options?: CnfCallOptions): Promise<void> {
    return this.perform("restart", options);
  }

  /** Applies a changed configuration. To do this, mwan3 and ipsec restart. */
  reload(options?: CnfCallOptions): Promise<void> {
    return this.perform("reload", options);
  }
}
