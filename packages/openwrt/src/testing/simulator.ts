import type { Server } from "node:http";
import { type Clock, systemClock } from "@kubewright/clock";
import { type FaultScope, Faults } from "./faults.ts";
import { Machine } from "./machine.ts";
import type { CnfRequest } from "./request.ts";
import { RequestLog } from "./request-log.ts";
import type { OpenCollection } from "./resources/open-collection.ts";
import type { CnfResponse } from "./response.ts";
import { listen } from "./server.ts";
import type { IpsecDaemon } from "./system/ipsec.ts";
import type { Iptables } from "./system/iptables.ts";
import type { InterfaceOptions, Kernel } from "./system/kernel.ts";
import type { CommandFailure } from "./system/shell.ts";
import type { Uci } from "./uci/store.ts";

/** Options for a simulated CNF: its address, its pod's environment, and whether it has the reference CNF's quirks. */
export interface CnfSimulatorOptions {
  /** Host to listen on. Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port to listen on. Default: any free port. */
  readonly port?: number | undefined;
  /** Key and certificate in PEM format. If set, the simulator uses HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Interfaces of the pod. `eth0` is the pod's own interface, and all others belong to attached networks. Default: only `eth0`. */
  readonly interfaces?: readonly InterfaceOptions[] | undefined;
  /** The default route. Default: through `eth0` or, if the pod has none, through the first interface. */
  readonly defaultRoute?: { readonly interface: string; readonly gateway: string } | undefined;
  /** User name with which clients log in. Default `root`. */
  readonly username?: string | undefined;
  /** Password with which clients log in. Default: empty. */
  readonly password?: string | undefined;
  /** True to behave like the reference CNF, including its quirks. Default false. */
  readonly quirks?: boolean | undefined;
  /**
   * Authentication of the API: `required` if clients must log in, `stock` if no login is needed. Default `required`; with quirks, `stock`.
   */
  readonly auth?: "required" | "stock" | undefined;
  /** Idle time after which a login expires. Default one hour. */
  readonly sessionIdleMs?: number | undefined;
  /**
   * Addresses of services, keyed by name. Use `NXDOMAIN` as the address of a name that does not exist. Other names
   * resolve to a made-up address, unless they contain `missing`.
   */
  readonly dns?: Readonly<Record<string, string>> | undefined;
  /** Time between the six attempts to resolve a name, in milliseconds. Default 0. A real CNF waits 5000. */
  readonly resolveRetryMs?: number | undefined;
  /** Initial files, keyed by path without the leading slash. Use undefined as the text to remove a default file. */
  readonly files?: Readonly<Record<string, string | undefined>> | undefined;
  /** Outputs that replace the simulated system's outputs: a map from the command line to the text. */
  readonly outputs?: Readonly<Record<string, string>> | undefined;
  /** Additional collections, whose objects may have any fields. Collections of the specification remain unchanged. */
  readonly collections?: readonly OpenCollection[] | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A simulated SD-EWAN CNF: its REST API over HTTP(S), and the configuration, commands and system underneath. Without
 * `quirks`, it behaves as specified; with `quirks`, it behaves like the reference CNF.
 */
export class CnfSimulator {
  /** Log of the requests from all clients. */
  readonly requests = new RequestLog();
  readonly #options: CnfSimulatorOptions;
  readonly #faults = new Faults();
  #machine: Machine;
  #server: Server | undefined;
  #address = { host: "", port: 0 };

  private constructor(options: CnfSimulatorOptions) {
    this.#options = options;
    this.#machine = newMachine(options);
  }

  /** Starts a simulator, and resolves as soon as it accepts requests. */
  static async start(options: CnfSimulatorOptions = {}): Promise<CnfSimulator> {
    const simulator = new CnfSimulator(options);
    await simulator.#listen();
    return simulator;
  }

  /** Returns a simulator without a server. Pass requests to it with {@link answer}. */
  static withoutServer(options: CnfSimulatorOptions = {}): CnfSimulator {
    return new CnfSimulator(options);
  }

  /** Host on which the simulator listens; empty without a server. */
  get host(): string {
    return this.#address.host;
  }

  /** Port on which the simulator listens; 0 without a server. */
  get port(): number {
    return this.#address.port;
  }

  /** Base URL of the simulator, such as `http://127.0.0.1:40123`. */
  get url(): string {
    return `${this.#options.tls ? "https" : "http"}://${this.host}:${this.port}`;
  }

  /** The UCI configurations of the CNF. */
  get uci(): Uci {
    return this.#machine.uci;
  }

  /** Files outside the UCI configurations, keyed by their path without the leading slash. */
  get files(): ReadonlyMap<string, string> {
    return this.#machine.cnf.files;
  }

  /** Commands that have run since the start, in order. Each is a list of arguments. */
  get commands(): readonly (readonly string[])[] {
    return this.#machine.shell.commands;
  }

  /** The packet filter of the CNF, with its rules. */
  get iptables(): Iptables {
    return this.#machine.iptables;
  }

  /** The kernel of the CNF, with its interfaces, routes and routing rules. Use it, for example, to add the interface of a tunnel. */
  get kernel(): Kernel {
    return this.#machine.kernel;
  }

  /** The IPsec daemon of the CNF. If `isPeerDown` is set, no tunnel comes up. */
  get ipsec(): IpsecDaemon {
    return this.#machine.ipsec;
  }

  /** Number of successful logins since the start. */
  get logins(): number {
    return this.#machine.sessions.logins;
  }

  /** Sets the response from OpenWrt's message bus (ubus) to `mwan3 status`. If it is undefined, the bus does not respond. */
  set mwan3Status(status: unknown) {
    this.#machine.mwan3Status = status;
  }

  /**
   * Returns the current response to a GET of each collection, keyed by path: `{ "mwan3/v1/policies": { policies: [] },
   * ... }`.
   */
  config(): Record<string, unknown> {
    return this.#machine.router.config();
  }

  /** Makes the next matching requests fail with a status. */
  failNext({
    status,
    body = "",
    contentType = "text/plain",
    ...scope
  }: FaultScope & Partial<CnfResponse> & Pick<CnfResponse, "status">): void {
    this.#faults.plan({ kind: "answer", answer: { status, body, contentType } }, scope);
  }

  /** Does not respond to the next matching requests until the simulator stops or restarts. */
  hangNext(scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "hang" }, scope);
  }

  /** Closes the connections of the next matching requests without a response. */
  dropNext(scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "drop" }, scope);
  }

  /** Delays the responses to the next matching requests. */
  delayNext(ms: number, scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "delay", ms }, scope);
  }

  /** Drops all pending faults. Requests that are already hanging are not affected. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** Makes commands fail. */
  failCommand(failure: CommandFailure): void {
    this.#machine.shell.fail(failure);
  }

  /** Ends all logins, as if they had not been used for an hour. */
  expireSessions(): void {
    this.#machine.sessions.clear();
  }

  /**
   * Handles a request that was not sent over the network.
   *
   * @returns the response; undefined if the client never gets one, or null if the connection is closed
   */
  answer(request: CnfRequest): Promise<CnfResponse | undefined | null> {
    return this.#answer(request);
  }

  /** Simulates a restart of the container: configuration, sessions and connections are lost, but the address stays the same. */
  restart(): void {
    this.#machine = newMachine(this.#options);
    this.#server?.closeAllConnections();
  }

  /** Stops listening and closes all connections. Idempotent. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #listen(): Promise<void> {
    const { host = "127.0.0.1", port = 0, tls, quirks = false } = this.#options;
    this.#server = await listen({ host, port, tls, bytes: quirks, answer: (request) => this.#answer(request) });
    const address = this.#server.address();
    this.#address = { host, port: typeof address === "object" && address ? address.port : port };
  }

  async #answer(request: CnfRequest): Promise<CnfResponse | undefined | null> {
    const { method, path, body } = request;
    const entry = { method, path, body: body?.toString("utf8") ?? "", status: undefined as number | undefined };
    this.requests.add(entry);
    const fault = this.#faults.take(entry);
    if (fault?.kind === "hang") return undefined;
    if (fault?.kind === "drop") return null;
    if (fault?.kind === "delay") await (this.#options.clock ?? systemClock).sleep(fault.ms);
    const answer = fault?.kind === "answer" ? fault.answer : await this.#machine.router.answer(request);
    entry.status = answer.status;
    return answer;
  }
}

function newMachine(options: CnfSimulatorOptions): Machine {
  const { quirks = false, tls, clock = systemClock } = options;
  return new Machine({
    interfaces: options.interfaces ?? [{ name: "eth0", ip: "10.244.0.2" }],
    defaultRoute: options.defaultRoute,
    username: options.username ?? "root",
    password: options.password ?? "",
    quirks,
    auth: options.auth ?? (quirks ? "stock" : "required"),
    sessionIdleMs: options.sessionIdleMs ?? 3_600_000,
    secure: tls !== undefined,
    dns: options.dns ?? {},
    resolveRetryMs: options.resolveRetryMs ?? 0,
    files: options.files ?? {},
    outputs: options.outputs ?? {},
    collections: options.collections ?? [],
    clock,
  });
}
