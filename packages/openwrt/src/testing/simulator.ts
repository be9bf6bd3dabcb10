import type { Server } from "node:http";
import { type Clock, systemClock } from "@kubewright/clock";
import type { CnfAnswer } from "./answer.ts";
import { type FaultScope, Faults } from "./faults.ts";
import { Machine } from "./machine.ts";
import type { CnfRequest } from "./request.ts";
import { RequestLog } from "./request-log.ts";
import type { OpenCollection } from "./resources/open-collection.ts";
import { listen } from "./server.ts";
import type { IpsecDaemon } from "./system/ipsec.ts";
import type { Iptables } from "./system/iptables.ts";
import type { InterfaceOptions, Kernel } from "./system/kernel.ts";
import type { CommandFailure } from "./system/shell.ts";
import type { Uci } from "./uci/store.ts";

/** Options of a simulated CNF: its address, its pod's environment, and whether it has the reference's quirks. */
export interface CnfSimulatorOptions {
  /** Host to listen on. Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** PEM strings. If set, the simulator uses HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Interfaces of the pod. `eth0` is the pod's own, all others are attached networks. Default: only `eth0`. */
  readonly interfaces?: readonly InterfaceOptions[] | undefined;
  /** Default: through `eth0`, or the first interface without it. */
  readonly defaultRoute?: { readonly interface: string; readonly gateway: string } | undefined;
  /** Default `root`. */
  readonly username?: string | undefined;
  /** Default empty. */
  readonly password?: string | undefined;
  /** Behave like the reference CNF, including its quirks. Default false. */
  readonly quirks?: boolean | undefined;
  /** Whether the API requires a login. Default `required`; with quirks, `stock`, which requires none. */
  readonly auth?: "required" | "stock" | undefined;
  /** Idle time after which a login expires. Default one hour. */
  readonly sessionIdleMs?: number | undefined;
  /** Names of services to addresses, or to `NXDOMAIN`. Other names get a made-up address, unless they contain `missing`. */
  readonly dns?: Readonly<Record<string, string>> | undefined;
  /** Time between the six attempts to resolve a name. Default 0; 5000 in a real CNF. */
  readonly resolveRetryMs?: number | undefined;
  /** Initial files: path without leading slash to text, or to undefined to remove a default file. */
  readonly files?: Readonly<Record<string, string | undefined>> | undefined;
  /** Outputs that replace those of the simulated system: a map from the command line to the text. */
  readonly outputs?: Readonly<Record<string, string>> | undefined;
  /** Additional collections, whose objects may have any fields. Collections of the specification remain unchanged. */
  readonly collections?: readonly OpenCollection[] | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Simulated SD-EWAN CNF: its REST API over HTTP(S), with the underlying configuration, commands and system. Without `quirks`, it behaves as
 * specified; with `quirks`, like the reference.
 */
export class CnfSimulator {
  /** Requests of all clients. */
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

  /** Returns a simulator without a server: send requests with {@link answer}. */
  static withoutServer(options: CnfSimulatorOptions = {}): CnfSimulator {
    return new CnfSimulator(options);
  }

  /** The host; empty without a server. */
  get host(): string {
    return this.#address.host;
  }

  /** The port; 0 without a server. */
  get port(): number {
    return this.#address.port;
  }

  /** The base URL, such as `http://127.0.0.1:40123`. */
  get url(): string {
    return `${this.#options.tls ? "https" : "http"}://${this.host}:${this.port}`;
  }

  /** The UCI configurations. */
  get uci(): Uci {
    return this.#machine.uci;
  }

  /** Files outside of the configurations: path without leading slash to text. */
  get files(): ReadonlyMap<string, string> {
    return this.#machine.cnf.files;
  }

  /** Commands that were run since the start, in order, as argument vectors. */
  get commands(): readonly (readonly string[])[] {
    return this.#machine.shell.commands;
  }

  /** The rules of the packet filter. */
  get iptables(): Iptables {
    return this.#machine.iptables;
  }

  /** Interfaces, routes and routing rules. Use it to add the interface of a tunnel, for instance. */
  get kernel(): Kernel {
    return this.#machine.kernel;
  }

  /** The IPsec daemon; with `isPeerDown`, no tunnel comes up. */
  get ipsec(): IpsecDaemon {
    return this.#machine.ipsec;
  }

  /** Number of successful logins since the start. */
  get logins(): number {
    return this.#machine.sessions.logins;
  }

  /** Sets the response of the bus to `mwan3 status`. Undefined means no response. */
  set mwan3Status(status: unknown) {
    this.#machine.mwan3Status = status;
  }

  /** Returns the current response to a GET of each collection, by path: `{ "mwan3/v1/policies": { policies: [] }, ... }`. */
  config(): Record<string, unknown> {
    return this.#machine.router.config();
  }

  /** Makes the next matching requests fail with this status. */
  failNext({
    status,
    body = "",
    contentType = "text/plain",
    ...scope
  }: FaultScope & Partial<CnfAnswer> & Pick<CnfAnswer, "status">): void {
    this.#faults.plan({ kind: "answer", answer: { status, body, contentType } }, scope);
  }

  /** Leaves the next matching requests without a response until the simulator stops or restarts. */
  hangNext(scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "hang" }, scope);
  }

  /** Closes the connection of the next matching requests. */
  dropNext(scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "drop" }, scope);
  }

  /** Delays the responses to the next matching requests. */
  delayNext(ms: number, scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "delay", ms }, scope);
  }

  /** Drops all pending faults. Hanging requests keep hanging. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** Makes commands fail. */
  failCommand(failure: CommandFailure): void {
    this.#machine.shell.fail(failure);
  }

  /** Ends all logins, as after an hour without use. */
  expireSessions(): void {
    this.#machine.sessions.clear();
  }

  /**
   * Handles a request that was not sent over the network.
   *
   * @returns the response. Undefined means no response at all; null means to close the connection
   */
  answer(request: CnfRequest): Promise<CnfAnswer | undefined | null> {
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

  async #answer(request: CnfRequest): Promise<CnfAnswer | undefined | null> {
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
