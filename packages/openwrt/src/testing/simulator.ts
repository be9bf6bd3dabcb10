import type { Server } from "node:http";
import { type Clock, systemClock } from "@kubewright/clock";
import type { Answer } from "./answer.ts";
import { type FaultScope, Faults } from "./faults.ts";
import { Machine } from "./machine.ts";
import type { CnfRequest } from "./request.ts";
import { RequestLog } from "./request-log.ts";
import type { OpenCollection } from "./resources/open-collection.ts";
import { listen } from "./server.ts";
import type { InterfaceOptions } from "./system/kernel.ts";
import type { CommandFailure } from "./system/shell.ts";

/** What a simulated CNF is like: where it listens, what its pod has, and whether it has the reference's oddities. */
export interface CnfSimulatorOptions {
  /** Where to listen. Default 127.0.0.1. */
  readonly host?: string;
  /** Default any free one. */
  readonly port?: number;
  /** PEM texts; given, the simulator speaks HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The interfaces of the pod. `eth0` is the pod's own, all others are attached networks. Default `eth0` alone. */
  readonly interfaces?: readonly InterfaceOptions[];
  /** Default: by way of `eth0`, or the first interface if there is none. */
  readonly defaultRoute?: { readonly interface: string; readonly gateway: string };
  /** Default `root`. */
  readonly username?: string;
  /** Default empty. */
  readonly password?: string;
  /** Behave as the reference CNF does, oddities included. Default false. */
  readonly quirks?: boolean;
  /** Whether the API wants a log-in. Default `required`; with quirks `stock`: it does not. */
  readonly auth?: "required" | "stock";
  /** A log-in ends after so long without use. Default one hour. */
  readonly sessionIdleMs?: number;
  /** Names of services to addresses, or to `NXDOMAIN`. Names not listed get a made-up address, unless `missing` is part of them. */
  readonly dns?: Readonly<Record<string, string>>;
  /** Between two tries to resolve a name, of which there are six. Default 0; 5000 in a real CNF. */
  readonly resolveRetryMs?: number;
  /** Files there at the start: path without leading slash to text, or to undefined where a usual one is missing. */
  readonly files?: Readonly<Record<string, string | undefined>>;
  /** What commands print, instead of what the simulated system would: command line to text. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** Collections beyond those of the specification; those that it has are left as they are. Their objects take any field. */
  readonly collections?: readonly OpenCollection[];
  readonly clock?: Clock;
}

/**
 * An SD-EWAN CNF: its REST API over HTTP(S), with the configuration, the commands and the system behind it. Without `quirks` it
 * does what the specification asks for; with them, what the reference does.
 */
export class CnfSimulator {
  /** What was asked of it, by any client. */
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

  /** Resolves once it answers. */
  static async start(options: CnfSimulatorOptions = {}): Promise<CnfSimulator> {
    const simulator = new CnfSimulator(options);
    await simulator.#listen();
    return simulator;
  }

  /** One that nothing listens for: requests come by {@link answer}. */
  static withoutServer(options: CnfSimulatorOptions = {}): CnfSimulator {
    return new CnfSimulator(options);
  }

  /** Where it listens; empty without a server. */
  get host(): string {
    return this.#address.host;
  }

  /** 0 without a server. */
  get port(): number {
    return this.#address.port;
  }

  /** `http://127.0.0.1:40123`, for instance. */
  get url(): string {
    return `${this.#options.tls ? "https" : "http"}://${this.host}:${this.port}`;
  }

  /** The configurations behind the API. */
  get uci(): Machine["uci"] {
    return this.#machine.uci;
  }

  /** Files outside the configurations: path without leading slash to text. */
  get files(): ReadonlyMap<string, string> {
    return this.#machine.cnf.files;
  }

  /** Commands run since the start, in order, as argument vectors. */
  get commands(): readonly (readonly string[])[] {
    return this.#machine.shell.commands;
  }

  /** The packet filter's rules. */
  get iptables(): Machine["iptables"] {
    return this.#machine.iptables;
  }

  /** Interfaces, routes and routing rules. A tunnel's interface, for instance, is added here. */
  get kernel(): Machine["kernel"] {
    return this.#machine.kernel;
  }

  /** The IPsec daemon; with `isPeerDown` no tunnel comes up. */
  get ipsec(): Machine["ipsec"] {
    return this.#machine.ipsec;
  }

  /** Log-ins that succeeded since the start. */
  get logins(): number {
    return this.#machine.sessions.logins;
  }

  /** What the bus answers to `mwan3 status`. Undefined: nothing. */
  set mwan3Status(status: unknown) {
    this.#machine.mwan3Status = status;
  }

  /** What a GET of each collection answers now, by path: `{ "mwan3/v1/policies": { policies: [] }, ... }`. */
  config(): Record<string, unknown> {
    return this.#machine.router.config();
  }

  /** Answers the next matching requests with this status. */
  failNext({
    status,
    body = "",
    contentType = "text/plain",
    ...scope
  }: FaultScope & Partial<Answer> & Pick<Answer, "status">): void {
    this.#faults.plan({ kind: "answer", answer: { status, body, contentType } }, scope);
  }

  /** Lets the next matching requests without answer, until the simulator stops or restarts. */
  hangNext(scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "hang" }, scope);
  }

  /** Cuts the connection of the next matching requests. */
  dropNext(scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "drop" }, scope);
  }

  /** Answers the next matching requests late. */
  delayNext(ms: number, scope: FaultScope = {}): void {
    this.#faults.plan({ kind: "delay", ms }, scope);
  }

  /** Forgets the faults that are still to come; requests that hang go on doing so. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** Lets commands fail. */
  failCommand(failure: CommandFailure): void {
    this.#machine.shell.fail(failure);
  }

  /** Ends all log-ins, as an hour without use does. */
  expireSessions(): void {
    this.#machine.sessions.clear();
  }

  /** Answers a request that came otherwise than over the network. @returns undefined: no answer is ever given; null: the connection is cut */
  answer(request: CnfRequest): Promise<Answer | undefined | null> {
    return this.#answer(request);
  }

  /** As when the container is restarted: configuration, sessions and connections are gone, the address stays. */
  restart(): void {
    this.#machine = newMachine(this.#options);
    this.#server?.closeAllConnections();
  }

  /** Stops listening and cuts what is open. Calling it again does nothing. */
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

  async #answer(request: CnfRequest): Promise<Answer | undefined | null> {
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
