import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { Api, type CnfCallOptions } from "./api.ts";
import { Collection } from "./collection.ts";
import { collectionTraits } from "./collection-traits.ts";
import { UnexpectedResponseError } from "./errors.ts";
import { NetworkInterfaces } from "./network-interfaces.ts";
import { pathSegment } from "./object-name.ts";
import type * as records from "./records.ts";
import { CnfService, type ServiceName } from "./service.ts";
import { ServiceForwardings } from "./service-forwardings.ts";
import { Session } from "./session.ts";
import { baseOf, type CnfTransport, Transport, type TransportOptions } from "./transport.ts";

/** Options for an {@link OpenWrtClient}: the CNF's address and credentials, and limits for its responses. */
export interface OpenWrtClientOptions {
  /** Scheme, host and port, such as `https://10-233-84-5.default.pod.cluster.local`. */
  readonly url: string;
  /** User name. Default `root`. */
  readonly username?: string | undefined;
  /** Password of the user. It may be empty. */
  readonly password: string;
  /** Certificates of trusted authorities, in PEM format. Default: the authorities that Node and the system trust. */
  readonly ca?: string | undefined;
  /** True to accept any certificate. Use this only in tests. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** IP address to connect to. TLS still verifies the URL's host. Default: the address that the host resolves to. */
  readonly address?: string | undefined;
  /** Timeout for connecting. Default 5 seconds. */
  readonly connectTimeoutMs?: number | undefined;
  /** Timeout for an entire request, in milliseconds. Default 30 seconds. */
  readonly requestTimeoutMs?: number | undefined;
  /** Timeout for actions on services. Default 60 seconds. */
  readonly serviceTimeoutMs?: number | undefined;
  /** Maximum number of persistent connections. Default 4. */
  readonly maxConnections?: number | undefined;
  /** Maximum length of a response. A longer response causes an `UnexpectedResponseError`. Default 4 MiB, enough for 10,000 rules. */
  readonly maxResponseBytes?: number | undefined;
  /** Creates the transport that sends requests, for callers that do not use a network. Default: HTTP or HTTPS, depending on the options. */
  readonly transport?: ((options: TransportOptions) => CnfTransport) | undefined;
  readonly clock?: Clock | undefined;
  /** Logger for responses. It does not receive their bodies. Default: no logging. */
  readonly logger?: Logger | undefined;
}

const defaultMaxResponseBytes = 4 * 1024 * 1024;

/**
 * Client for the REST API of an SD-EWAN CNF. It logs in when needed. All calls share one login; if the CNF returns 403,
 * the client logs in again and retries once. Calls reject with an `OpenWrtError` if the CNF rejects the request, and
 * with an `OpenWrtNetworkError` if no response arrives.
 *
 * @see akraino-edge-stack/icn-sdwan platform/crd-ctrlr/src/openwrt
 */
export class OpenWrtClient {
  /** Load balancing over several networks. Changes take effect after a restart of the service `mwan3`. */
  readonly mwan3: { readonly policies: Collection<records.Mwan3Policy>; readonly rules: Collection<records.Mwan3Rule> };
  /** The zone-based firewall. Changes take effect after a reload of the service `firewall`. */
  readonly firewall: {
    readonly zones: Collection<records.FirewallZone>;
    readonly rules: Collection<records.FirewallRule>;
    readonly forwardings: Collection<records.FirewallForwarding>;
    readonly redirects: Collection<records.FirewallRedirect>;
  };
  /** Packet filter rules on interfaces. Changes apply immediately. */
  readonly networkfirewall: { readonly rules: Collection<records.NetworkFirewallRule> };
  /** Address translation on interfaces. Changes apply immediately. */
  readonly nat: { readonly nats: Collection<records.Nat> };
  /** IPsec tunnels. Changes take effect after a restart of the service `ipsec`. */
  readonly ipsec: {
    readonly proposals: Collection<records.IpsecProposal>;
    readonly remotes: Collection<records.IpsecRemote>;
  };
  /** Routes. Changes apply immediately. */
  readonly route: { readonly routes: Collection<records.Route> };
  /** Rules that choose a routing table. Changes apply immediately. */
  readonly rule: { readonly rules: Collection<records.RoutingRule> };
  /** Pods whose traffic uses the CNF's routing table. Changes apply immediately. */
  readonly application: { readonly applications: Collection<records.Application> };
  /** Services of the cluster that clients reach through a port of the CNF. Changes apply immediately. */
  readonly svc: ServiceForwardings;
  /** The network interfaces of the CNF's pod. */
  readonly interfaces: NetworkInterfaces;
  readonly #api: Api;
  readonly #session: Session;
  readonly #transport: CnfTransport;
  readonly #serviceTimeoutMs: number;

  /**
   * Creates a client, which does not connect before the first call. @throws {TypeError} if the URL is not valid, or contains credentials
   */
  constructor(options: OpenWrtClientOptions) {
    const { username = "root", password, logger = silentLogger, requestTimeoutMs: timeoutMs = 30_000 } = options;
    const url = new URL(options.url);
    if (url.username || url.password) throw new TypeError("a CNF's URL must not contain credentials");
    const carry = options.transport ?? ((how: TransportOptions) => new Transport(how));
    this.#transport = carry({
      url,
      ca: options.ca,
      insecureSkipTlsVerify: options.insecureSkipTlsVerify,
      address: options.address,
      connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
      maxConnections: options.maxConnections ?? 4,
      maxResponseBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
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

  /** Returns the collection at `sdewan/<path>`, for callers that handle all kinds in the same way. */
  collection<T extends { readonly name: string }>(path: string): Collection<T> {
    return new Collection<T>(this.#api, path, collectionTraits(path));
  }

  /** Returns one of the CNF's services. @throws {OpenWrtError} 400 if CNFs have no service with this name */
  service(name: ServiceName): CnfService {
    return new CnfService(this.#api, name, this.#serviceTimeoutMs);
  }

  /** Returns the names of the CNF's services. */
  async services(options: CnfCallOptions = {}): Promise<string[]> {
    const answer = await this.#api.call({ ...options, method: "GET", path: "sdewan/v1/services" });
    const names = typeof answer === "object" && answer !== null && "services" in answer ? answer.services : undefined;
    if (!isListOfTexts(names)) throw new UnexpectedResponseError(200, this.#api.masked(JSON.stringify(answer) ?? ""));
    return names;
  }

  /** Returns the status of all modules in the running system. */
  async status(options: CnfCallOptions = {}): Promise<records.ModuleStatus[]> {
    const answer = await this.#api.call({ ...options, method: "GET", path: "sdewan/v1/status" });
    if (!Array.isArray(answer) || !answer.every(isModule))
      throw new UnexpectedResponseError(200, "the CNF's status is not a list of modules");
    return answer;
  }

  /** Returns one module of the status: `conntrack`, `interface`, `ipsec`, `route`, `rule` or `wan`. */
  async statusOf(module: string, options: CnfCallOptions = {}): Promise<unknown> {
    const path = `sdewan/v1/status/${pathSegment(module)}`;
    const answer = await this.#api.call({ ...options, method: "GET", path });
    if (typeof answer !== "object" || answer === null)
      throw new UnexpectedResponseError(200, "the module's status is not an object");
    return "status" in answer ? answer.status : undefined;
  }

  /** Logs out of the CNF. The next call logs in again. */
  logOut(): Promise<void> {
    return this.#session.logOut();
  }

  /** Closes all connections. The client cannot be used afterwards. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const isModule = (value: unknown): value is records.ModuleStatus =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((element) => typeof element === "string");
