import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { Api, type CallOptions } from "./api.ts";
import { Collection } from "./collection.ts";
import { collectionTraits } from "./collection-traits.ts";
import { UnexpectedAnswerError } from "./errors.ts";
import { NetworkInterfaces } from "./network-interfaces.ts";
import { pathSegment } from "./object-name.ts";
import type * as records from "./records.ts";
import { Service, type ServiceName } from "./service.ts";
import { ServiceForwardings } from "./service-forwardings.ts";
import { Session } from "./session.ts";
import { baseOf, type CnfTransport, Transport, type TransportOptions } from "./transport.ts";

/** Which CNF a client talks to, as whom, and how much of its time and how many of its bytes it takes. */
export interface OpenWrtClientOptions {
  /** Scheme, host and port: `https://10-233-84-5.default.pod.cluster.local`. */
  readonly url: string;
  /** Default `root`. */
  readonly username?: string;
  /** May be empty. */
  readonly password: string;
  /** PEM bundle of the authorities to trust. Default those that Node and the system trust. */
  readonly ca?: string | undefined;
  /** Takes any certificate. For tests. */
  readonly insecureSkipTlsVerify?: boolean;
  /** IP address to connect to; TLS goes on verifying the URL's host. Default: what the host resolves to. */
  readonly address?: string | undefined;
  /** Default 5 seconds. */
  readonly connectTimeoutMs?: number;
  /** For a whole request. Default 30 seconds. */
  readonly requestTimeoutMs?: number;
  /** For actions on services. Default 60 seconds. */
  readonly serviceTimeoutMs?: number;
  /** Connections that are kept. Default 4. */
  readonly maxConnections?: number;
  /** An answer that is longer is given up with an `UnexpectedAnswerError`. Default 4 MiB, enough for 10,000 rules. */
  readonly maxAnswerBytes?: number;
  /** Makes what carries the requests, for who has no network between. Default: HTTP(S) to where the options say. */
  readonly transport?: (options: TransportOptions) => CnfTransport;
  readonly clock?: Clock;
  /** Told of each answer, without bodies. Default: silent. */
  readonly logger?: Logger;
}

const defaultMaxAnswerBytes = 4 * 1024 * 1024;

/**
 * The REST API of one SD-EWAN CNF. Logs in when needed, one log-in for all calls; renews it once when the CNF says 403. All calls
 * reject with an `OpenWrtError` when the CNF refuses, with an `OpenWrtNetworkError` when no answer came.
 *
 * @see akraino-edge-stack/icn-sdwan platform/crd-ctrlr/src/openwrt
 */
export class OpenWrtClient {
  /** Traffic over several networks. Its changes need the service `mwan3` restarted. */
  readonly mwan3: { readonly policies: Collection<records.Mwan3Policy>; readonly rules: Collection<records.Mwan3Rule> };
  /** The firewall by zones. Its changes need the service `firewall` reloaded. */
  readonly firewall: {
    readonly zones: Collection<records.FirewallZone>;
    readonly rules: Collection<records.FirewallRule>;
    readonly forwardings: Collection<records.FirewallForwarding>;
    readonly redirects: Collection<records.FirewallRedirect>;
  };
  /** Packet filter rules on interfaces, in force at once. */
  readonly networkfirewall: { readonly rules: Collection<records.NetworkFirewallRule> };
  /** Translation of addresses on interfaces, in force at once. */
  readonly nat: { readonly nats: Collection<records.Nat> };
  /** Tunnels. Its changes need the service `ipsec` restarted. */
  readonly ipsec: {
    readonly proposals: Collection<records.IpsecProposal>;
    readonly remotes: Collection<records.IpsecRemote>;
  };
  /** Routes, in force at once. */
  readonly route: { readonly routes: Collection<records.Route> };
  /** Which traffic a routing table is for, in force at once. */
  readonly rule: { readonly rules: Collection<records.RoutingRule> };
  /** Pods whose traffic goes by the CNF's routing table, in force at once. */
  readonly application: { readonly applications: Collection<records.Application> };
  /** Services of the cluster that are reached by a port of the CNF, in force at once. */
  readonly svc: ServiceForwardings;
  /** The network interfaces of the CNF's pod. */
  readonly interfaces: NetworkInterfaces;
  readonly #api: Api;
  readonly #session: Session;
  readonly #transport: CnfTransport;
  readonly #serviceTimeoutMs: number;

  /** @throws {TypeError} if the URL is none, or holds credentials */
  constructor(options: OpenWrtClientOptions) {
    const { username = "root", password, logger = silentLogger, requestTimeoutMs: timeoutMs = 30_000 } = options;
    const url = new URL(options.url);
    if (url.username || url.password) throw new TypeError("the URL of a CNF holds no credentials");
    const carry = options.transport ?? ((how: TransportOptions) => new Transport(how));
    this.#transport = carry({
      url,
      ca: options.ca,
      insecureSkipTlsVerify: options.insecureSkipTlsVerify,
      address: options.address,
      connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
      maxConnections: options.maxConnections ?? 4,
      maxAnswerBytes: options.maxAnswerBytes ?? defaultMaxAnswerBytes,
      clock: options.clock ?? systemClock,
    });
    this.#session = new Session(this.#transport, { username, password }, timeoutMs);
    this.#api = new Api({
      ...{ transport: this.#transport, session: this.#session, base: baseOf(url) },
      ...{ logger, timeoutMs, password },
    });
    this.#serviceTimeoutMs = options.serviceTimeoutMs ?? 60_000;

    this.mwan3 = { policies: this.collection("mwan3/v1/policies"), rules: this.collection("mwan3/v1/rules") };
    this.firewall = {
      zones: this.collection("firewall/v1/zones"),
      rules: this.collection("firewall/v1/rules"),
      forwardings: this.collection("firewall/v1/forwardings"),
      redirects: this.collection("firewall/v1/redirects"),
    };
    this.networkfirewall = { rules: this.collection("networkfirewall/v1/rules") };
    this.nat = { nats: this.collection("nat/v1/nats") };
    this.ipsec = { proposals: this.collection("ipsec/v1/proposals"), remotes: this.collection("ipsec/v1/remotes") };
    this.route = { routes: this.collection("route/v1/routes") };
    this.rule = { rules: this.collection("rule/v1/rules") };
    this.application = { applications: this.collection("application/v1/applications") };
    this.svc = new ServiceForwardings(this.#api);
    this.interfaces = new NetworkInterfaces(this.#api);
  }

  /** The objects below `sdewan/<path>`, for who treats all kinds alike. */
  collection<T extends { readonly name: string }>(path: string): Collection<T> {
    return new Collection<T>(this.#api, path, collectionTraits(path));
  }

  /** @throws {OpenWrtError} 400 for a service that CNFs do not have */
  service(name: ServiceName): Service {
    return new Service(this.#api, name, this.#serviceTimeoutMs);
  }

  /** The services that the CNF has. */
  async services(options: CallOptions = {}): Promise<string[]> {
    const answer = await this.#api.call({ ...options, method: "GET", path: "sdewan/v1/services" });
    const names = typeof answer === "object" && answer !== null && "services" in answer ? answer.services : undefined;
    if (!isListOfTexts(names)) throw new UnexpectedAnswerError(200, this.#api.masked(JSON.stringify(answer) ?? ""));
    return names;
  }

  /** How the running system is, all modules. */
  async status(options: CallOptions = {}): Promise<records.ModuleStatus[]> {
    const answer = await this.#api.call({ ...options, method: "GET", path: "sdewan/v1/status" });
    if (!Array.isArray(answer)) throw new UnexpectedAnswerError(200, "the status is no list");
    return answer;
  }

  /** One module of the status: `conntrack`, `interface`, `ipsec`, `route`, `rule` or `wan`. */
  async statusOf(module: string, options: CallOptions = {}): Promise<unknown> {
    const path = `sdewan/v1/status/${pathSegment(module)}`;
    const answer = await this.#api.call({ ...options, method: "GET", path });
    if (typeof answer !== "object" || answer === null) throw new UnexpectedAnswerError(200, "the status is no object");
    return "status" in answer ? answer.status : undefined;
  }

  /** Ends the log-in at the CNF. The next call logs in again. */
  logOut(): Promise<void> {
    return this.#session.logOut();
  }

  /** Cuts what is open. Nothing may be called afterwards. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((element) => typeof element === "string");
