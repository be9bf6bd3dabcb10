import type { SecureVersion } from "node:tls";
import type { ServiceAccountTokenSigner } from "@kubewright/apiserver/authentication";
import { withGroupOfAuthenticated } from "@kubewright/apiserver/authentication";
import type { InProcessHandle, InProcessRequest, InProcessResponse } from "@kubewright/apiserver/http";
import { Compactor, InProcessListener, Listener, ServerFaults } from "@kubewright/apiserver/server";
import type { CertificateAuthority, IssuedCertificate } from "@kubewright/certificates";
import { certificateAuthority } from "@kubewright/certificates";
import { type Clock, systemClock, systemRandom, withPromiseTurns } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import type { ClosableStorage } from "@kubewright/storage";
import { openStorage } from "@kubewright/storage";
import type { ApiServerOptions } from "./api-server-options.ts";
import { kubeconfigText, type ServerConnection } from "./kubeconfig.ts";
import { defaultRequestTimeoutMs, ServerChain } from "./server-chain.ts";
import { type UserCredentials, type UserOptions, Users } from "./users.ts";

/** Address of a server without a port. Names that end in `.invalid` never exist. @see RFC 2606 */
const noAddress = "in-process.invalid";

/**
 * A Kubernetes API server that runs in this process and behaves like kube-apiserver. It runs no controllers.
 *
 * {@link ApiServer.start} creates a server, which runs until {@link ApiServer.stop} is called.
 */
export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #ca: () => CertificateAuthority;
  readonly #clientCa: () => CertificateAuthority;
  readonly #users: Users;
  readonly #storage: ClosableStorage;
  readonly #chain: ServerChain;
  readonly #compactor: Compactor | undefined;
  readonly #tls: { readonly certificate: string; readonly key: string } | undefined;
  #stopping = new AbortController();
  #listener: Listener | undefined;
  #inProcess: InProcessListener | undefined;
  /** Handlers of other servers in this process, keyed by host. */
  readonly #neighbours = new Map<string, InProcessHandle>();
  #port = 0;
  /** Injects faults, for tests. */
  readonly faults: ServerFaults;

  private constructor(options: ApiServerOptions, storage: ClosableStorage) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#storage = storage;
    const { compactionIntervalMs = 300_000, identityDirectory, logger = silentLogger } = options;
    this.#ca = once(() => certificateAuthority("kubewright-ca", identityDirectory));
    this.#clientCa = once(() => certificateAuthority("kubewright-client-ca", identityDirectory));
    this.#users = new Users(this.#clientCa, options.random ?? systemRandom);
    const clientCas = this.#listens ? [this.#clientCa().certificate] : [];
    const inProcess = (host: string): InProcessHandle | undefined => this.#neighbours.get(host);
    this.#chain = new ServerChain({ options, storage, clientCas, users: this.#users, inProcess });
    this.faults = new ServerFaults(this.#chain.watches, this.#clock, (request) => this.#chain.kindOf(request));
    if (compactionIntervalMs !== false && !(compactionIntervalMs > 0))
      throw new RangeError(
        `compactionIntervalMs must be above 0, got ${compactionIntervalMs}; set it to false for no compaction`,
      );
    if (compactionIntervalMs !== false)
      this.#compactor = new Compactor(storage, compactionIntervalMs, this.#clock, logger);
    if (this.#listens && (options.tls ?? true)) {
      const { certificate, key } = options.serving ?? this.#ca().issueServer("kube-apiserver", this.#hosts());
      this.#tls = { certificate, key };
    }
    for (const user of [{ name: "admin", groups: ["system:masters"] }, ...(options.users ?? [])]) this.#users.add(user);
  }

  /**
   * Starts an API server.
   *
   * @throws {Error} if the address is in use, or the storage cannot be opened
   */
  static async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const { listen = true, logger = silentLogger, historyLength } = options;
    const given = options.clock ?? systemClock;
    // without sockets and with a time of its own, nothing but promises and this time orders what the server does
    const clock = listen || given === systemClock || given.onNextTurn ? given : withPromiseTurns(given);
    const history = historyLength === undefined ? {} : { historyLength, watchBuffer: Math.max(historyLength, 1_000) };
    const storage = await openStorage(options.storage ?? { type: "memory" }, { clock, logger, ...history });
    try {
      const server = new ApiServer({ ...options, clock }, storage);
      return await server.#run();
    } catch (error) {
      await storage.close();
      throw error;
    }
  }

  /** The server's port, which stays the same after a restart. */
  get port(): number {
    return this.#port;
  }

  /** URL for clients on this machine. If the server does not listen, the host name does not exist. */
  get url(): string {
    if (!this.#listens) return `https://${noAddress}`;
    const reachable = this.#host.replace(/^0\.0\.0\.0$/, "127.0.0.1").replace(/^::$/, "::1");
    const host = reachable.includes(":") ? `[${reachable}]` : reachable;
    return `${this.#tls ? "https" : "http"}://${host}:${this.#port}`;
  }

  /**
   * CA of the server's certificate, in PEM format. If the options contain a certificate, this is the certificate's own chain. Without TLS,
   * it is empty.
   */
  get caData(): string {
    if (!this.#tls) return "";
    return this.#options.serving?.certificate ?? this.#ca().certificate;
  }

  /** Signer for ServiceAccount tokens, for controllers that write them to Secrets. */
  get serviceAccountTokens(): ServiceAccountTokenSigner {
    return this.#chain.authentication.serviceAccounts.signer;
  }

  /** Certificate and key of the client CA, for signing CertificateSigningRequests. */
  get signingAuthority(): IssuedCertificate {
    return this.#clientCa().export();
  }

  /** Number of watches in progress. */
  get watchCount(): number {
    return this.#chain.watches.size;
  }

  /**
   * Handles a request from this process without a connection. The request passes the same filters and handlers as a request from a socket,
   * and its body has the same encoding. If the server does not listen and has its own clock, only promises and this clock determine the
   * order and timing. Responses are never compressed, and requests that upgrade their connection (such as `exec`) are not supported.
   *
   * @param user the sender, who is not authenticated again and becomes a member of `system:authenticated`. Default: the request's headers
   * authenticate the sender, who is anonymous if they contain no credentials
   * @throws {Error} with the code `ECONNREFUSED` or `ECONNRESET` if the server is not running, or drops the request
   * @throws the signal's reason if it aborts
   */
  async handle(request: InProcessRequest, user?: Pick<UserOptions, "name" | "groups">): Promise<InProcessResponse> {
    if (!this.#inProcess) throw Object.assign(new Error("the API server is not running"), { code: "ECONNREFUSED" });
    const identity = user && { user: withGroupOfAuthenticated({ name: user.name, groups: user.groups ?? [] }) };
    return this.#inProcess.handle(request, identity);
  }

  /** Adds a user, or creates additional credentials for an existing user. */
  addUser(user: UserOptions): UserCredentials {
    return this.#users.add(user);
  }

  /**
   * Returns the settings with which a user (default: `admin`) connects to the server. If the server does not listen, they contain the
   * function `handle` of this user; a copy of the settings with a token connects as the token's user.
   *
   * @throws {Error} if the user does not exist
   */
  connection(user = "admin"): ServerConnection {
    const known = this.#users.find(user);
    if (!this.#listens) {
      const handle = (request: InProcessRequest): Promise<InProcessResponse> =>
        this.handle(request, hasCredentials(request) ? undefined : known);
      return { server: this.url, handle };
    }
    if (!this.#tls) return { server: this.url, token: known.token };
    return { server: this.url, caData: this.caData, certData: known.certData, keyData: known.keyData };
  }

  /** Returns a kubeconfig with the connection settings of a user (default: `admin`). @throws {Error} if the server does not listen */
  kubeconfig(user = "admin"): string {
    if (!this.#listens)
      throw new Error("a server that does not listen has no kubeconfig; start it without `listen: false`");
    return kubeconfigText(this.connection(user), user);
  }

  /**
   * Makes this server call another server in this process without a connection: calls of webhooks and conversion webhooks whose URL has this
   * host are passed to `handle`. For a webhook with a Service, the host is `<name>.<namespace>.svc`.
   *
   * @param host host name, followed by `:` and the port unless the port is 443
   * @returns a function that removes `handle`, unless another one has replaced it
   */
  connectInProcess(host: string, handle: InProcessHandle): () => void {
    this.#neighbours.set(host, handle);
    return () => {
      if (this.#neighbours.get(host) === handle) this.#neighbours.delete(host);
    };
  }

  /**
   * Creates CRDs and waits until they are served.
   *
   * @throws {StatusError} if a CRD is not valid or already exists
   *
   * @throws {Error} if a CRD's names are in use
   */
  async installDefinitions(definitions: readonly unknown[]): Promise<void> {
    await this.#chain.installDefinitions(definitions);
  }

  /**
   * Compacts the history up to a resource version. The default is the current one. After that, watches and lists from older versions fail
   * with 410.
   */
  async compact(resourceVersion: string = String(this.#storage.currentResourceVersion())): Promise<void> {
    await this.#storage.compact(resourceVersion);
  }

  /**
   * Closes every connection and restarts on the same port with the same objects. The history is dropped, as if the server had a new cache:
   * a watch can continue from the newest resource version, but a watch from an older version fails with 410.
   */
  async restart(): Promise<void> {
    await this.#close();
    await this.compact();
    await this.#listen(this.#port);
  }

  /**
   * Restores the state at a resource version, as if from a backup. Closes all connections and discards all later writes, whose resource
   * versions will be assigned again.
   *
   * @throws {StorageError} if that state was compacted or does not exist
   *
   * @throws {Error} if objects are stored anywhere other than in memory
   */
  async goBackInTime(resourceVersion: string): Promise<void> {
    if (!this.#storage.rewind)
      throw new Error("only a server that keeps its objects in memory can be reset to an earlier state");
    await this.#storage.rewind(resourceVersion);
    this.dropConnections();
  }

  /** Closes all connections, as a network failure would. The server continues to accept new connections. */
  dropConnections(): void {
    this.#inProcess?.dropConnections();
    this.#listener?.dropConnections();
  }

  /** Ends all watches, closes every connection and frees the port. */
  async stop(): Promise<void> {
    this.#compactor?.stop();
    this.#chain.stopControllers();
    await this.#close();
    await this.#chain.close();
    await this.#storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<this> {
    try {
      await this.#chain.begin();
      await this.#listen(this.#options.port ?? 0);
      if (this.#listens) await this.#chain.advertise(this.#port);
      return this;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  get #listens(): boolean {
    return this.#options.listen ?? true;
  }

  get #host(): string {
    return this.#options.host ?? "127.0.0.1";
  }

  #hosts(): string[] {
    const fixed = [
      "localhost",
      "127.0.0.1",
      "::1",
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      this.#chain.serviceAddress,
    ];
    return [...new Set([...fixed, this.#host])].filter((host) => host !== "0.0.0.0" && host !== "::");
  }

  async #listen(port: number): Promise<void> {
    this.#stopping = new AbortController();
    const address = (): string => (this.#listens ? `${this.#host}:${this.#port}` : noAddress);
    const handle = this.#chain.handler(this.faults, address, this.#stopping.signal);
    const refuses = (): boolean => this.faults.refusesConnections;
    this.#inProcess = new InProcessListener({ handle, refuses });
    if (!this.#listens) return;
    this.#listener = new Listener({
      tls: this.#tls
        ? { ...this.#tls, clientCas: this.#chain.authentication.trustedCas, ...this.#agreement }
        : undefined,
      http2: this.#options.http2 ?? true,
      handle,
      refuses,
      requestTimeoutMs: this.#options.requestTimeoutMs ?? defaultRequestTimeoutMs,
    });
    this.#port = await this.#listener.listen(this.#host, port);
  }

  get #agreement(): { minVersion?: SecureVersion; ciphers?: string } {
    const { tlsMinVersion, tlsCipherSuites } = this.#options;
    return {
      ...(tlsMinVersion ? { minVersion: tlsMinVersion } : {}),
      ...(tlsCipherSuites ? { ciphers: tlsCipherSuites.join(":") } : {}),
    };
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    this.#inProcess?.close();
    this.#inProcess = undefined;
    await this.#listener?.close();
    this.#listener = undefined;
  }
}

const hasCredentials = ({ headers }: InProcessRequest): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "authorization");

/** Returns a function that computes its value when it is first called. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
