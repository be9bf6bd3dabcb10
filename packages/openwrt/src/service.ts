import type { Api, CallOptions } from "./api.ts";
import { OpenWrtError } from "./errors.ts";

/** The services whose configuration a CNF lets be changed. */
export type ServiceName = "mwan3" | "firewall" | "ipsec";
/** What a service can be told. `mwan3` and `ipsec` do for `reload` what they do for `restart`. */
export type ServiceActionName = "start" | "stop" | "restart" | "reload";

const names: readonly string[] = ["mwan3", "firewall", "ipsec"];

/** A service of the CNF. Changes of its configuration are effective after a restart or reload. */
export class Service {
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

  /** Resolves once the CNF has carried it out. */
  async perform(action: ServiceActionName, options: CallOptions = {}): Promise<void> {
    const path = `sdewan/v1/service/${this.name}`;
    await this.#api.call({ ...options, method: "PUT", path, body: { action }, timeoutMs: this.#timeoutMs });
  }

  /** `perform("start")`. */
  start(options?: CallOptions): Promise<void> {
    return this.perform("start", options);
  }

  /** `perform("stop")`: what the service has set up ends with it. */
  stop(options?: CallOptions): Promise<void> {
    return this.perform("stop", options);
  }

  /** On the reference CNF a restart of the firewall loses the rules of `nat` and `networkfirewall`; a reload does not. */
  restart(options?: CallOptions): Promise<void> {
    return this.perform("restart", options);
  }

  /** Takes a changed configuration over; on mwan3 and ipsec, by a restart. */
  reload(options?: CallOptions): Promise<void> {
    return this.perform("reload", options);
  }
}
