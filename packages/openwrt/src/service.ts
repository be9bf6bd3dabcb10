import type { Api, CnfCallOptions } from "./api.ts";
import { OpenWrtError } from "./errors.ts";

/** A service whose configuration can be changed through a CNF's API. */
export type ServiceName = "mwan3" | "firewall" | "ipsec";
/** An action on a service. For `mwan3` and `ipsec`, `reload` is the same as `restart`. */
export type ServiceActionName = "start" | "stop" | "restart" | "reload";

const names: readonly string[] = ["mwan3", "firewall", "ipsec"];

/** A service on the CNF. Changes to the service's configuration take effect after a restart or reload. */
export class CnfService {
  readonly name: ServiceName;
  readonly #api: Api;
  readonly #timeoutMs: number;

  /** Creates the client for a service. @throws {OpenWrtError} 400 if CNFs have no service with this name */
  constructor(api: Api, name: ServiceName, timeoutMs: number) {
    if (!names.includes(name)) throw new OpenWrtError(400, `Bad Request: not supported service(${name})`);
    this.#api = api;
    this.name = name;
    this.#timeoutMs = timeoutMs;
  }

  /** Performs an action. Resolves once the CNF has completed it. */
  async perform(action: ServiceActionName, options: CnfCallOptions = {}): Promise<void> {
    const path = `sdewan/v1/service/${this.name}`;
    await this.#api.call({ ...options, method: "PUT", path, body: { action }, timeoutMs: this.#timeoutMs });
  }

  /** Starts the service. */
  start(options?: CnfCallOptions): Promise<void> {
    return this.perform("start", options);
  }

  /** Stops the service, which removes everything that it has set up. */
  stop(options?: CnfCallOptions): Promise<void> {
    return this.perform("stop", options);
  }

  /**
   * Restarts the service. On the reference CNF, a restart of the firewall drops the rules of `nat` and `networkfirewall`, but a reload does
   * not.
   */
  restart(options?: CnfCallOptions): Promise<void> {
    return this.perform("restart", options);
  }

  /** Applies a changed configuration. The services `mwan3` and `ipsec` are restarted for this. */
  reload(options?: CnfCallOptions): Promise<void> {
    return this.perform("reload", options);
  }
}
