import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { anonymous, authenticated, unionAuthenticator } from "../authentication/authenticator.ts";
import { bearerTokenAuthenticator } from "../authentication/bearer-token.ts";
import { clientCertificateAuthenticator } from "../authentication/client-certificate.ts";
import type { ApiRequest } from "../endpoints/api-request.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { type Authorization, type AuthorizationMode, authorizationOf } from "./authorization-modes.ts";
import { CertificateAuthority } from "./certificates/certificate-authority.ts";
import { CrdController } from "./crd-controller.ts";
import { ensureObjects } from "./ensure-objects.ts";
import { Faults } from "./faults.ts";
import { filterChain } from "./filter-chain.ts";
import { discoveryOf, type GenericServer, openApiOf, serveInOrder, unservedVersions } from "./generic-server.ts";
import { installDefinitions } from "./install-definitions.ts";
import { apiExtensionsServer, kubeServer } from "./kube-server.ts";
import { kubeconfigText, type ServerConnection } from "./kubeconfig.ts";
import { Listener } from "./listener.ts";
import { nonResourceEndpoints } from "./non-resource-endpoints.ts";
import { ServingContext } from "./serving-context.ts";
import { systemObjects } from "./system-objects.ts";
import { type UserCredentials, type UserOptions, Users } from "./users.ts";

export interface ApiServerOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** HTTPS with a generated CA. Default true; otherwise plain HTTP, and users have tokens only. */
  readonly tls?: boolean;
  /** Beside `admin`, who may do everything. */
  readonly users?: readonly UserOptions[];
  /** Definitions of custom resources to install: whole objects. */
  readonly crds?: readonly unknown[];
  /** Tried in order. Default `["AlwaysAllow"]`. */
  readonly authorization?: readonly AuthorizationMode[];
  /** In-process admission plugins, behind the built-in ones. */
  readonly admissionPlugins?: readonly AdmissionPlugin[];
  /** Changes remembered for each resource: how far back a watch may start. Default 1000. */
  readonly historyLength?: number;
  /** How long events are kept after they were written. Default 3600. */
  readonly eventTtlSeconds?: number;
  /** Default 60000. */
  readonly bookmarkIntervalMs?: number;
  /** Default 60000. */
  readonly requestTimeoutMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * A Kubernetes API server in this process: kube-apiserver's behaviour on an in-memory store. It runs no controllers.
 *
 * Constructed only by {@link ApiServer.start}; lives until {@link ApiServer.stop}.
 */
export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #ca = new CertificateAuthority("kubewright-ca");
  readonly #clientCa = new CertificateAuthority("kubewright-client-ca");
  readonly #users = new Users(this.#clientCa);
  readonly #storage: MemoryStorage;
  readonly #context: ServingContext;
  readonly #servers: readonly GenericServer[];
  readonly #authorization: Authorization;
  readonly #crdController: CrdController;
  readonly #closing = new AbortController();
  #controllers: Promise<unknown> = Promise.resolve();
  readonly #tls: { readonly certificate: string; readonly key: string } | undefined;
  #stopping = new AbortController();
  #listener: Listener | undefined;
  #port = 0;
  /** Trouble on request. */
  readonly faults: Faults;

  private constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { historyLength } = options;
    this.#storage = new MemoryStorage({
      clock: this.#clock,
      ...(historyLength === undefined ? {} : { historyLength, watchBuffer: Math.max(historyLength, 1_000) }),
    });
    this.#context = new ServingContext({
      storage: this.#storage,
      clock: this.#clock,
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
      admissionPlugins: options.admissionPlugins ?? [],
    });
    this.#authorization = authorizationOf(options.authorization ?? ["AlwaysAllow"], this.#storage);
    const authenticateToken = this.#users.tokens.authenticate;
    const kube = kubeServer(this.#context, { ...this.#authorization, authenticateToken }, options.eventTtlSeconds);
    const extensions = apiExtensionsServer(this.#context);
    this.#servers = [kube, extensions];
    this.#crdController = new CrdController(this.#context, extensions, options.logger ?? silentLogger);
    this.faults = new Faults(this.#context.watches, this.#clock, (request) => this.#kindOf(request));
    if (options.tls ?? true) {
      const { certificate, key } = this.#ca.issueServer("kube-apiserver", this.#hosts());
      this.#tls = { certificate, key };
    }
    for (const user of [{ name: "admin", groups: ["system:masters"] }, ...(options.users ?? [])]) this.#users.add(user);
  }

  /** @throws {Error} where the address is not free */
  static async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = new ApiServer(options);
    await server.#begin();
    await server.#listen(options.port ?? 0);
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    const host = this.#host.includes(":") ? `[${this.#host}]` : this.#host;
    return `${this.#tls ? "https" : "http"}://${host}:${this.#port}`;
  }

  /** The CA of the server's certificate, PEM. Empty without TLS. */
  get caData(): string {
    return this.#tls ? this.#ca.certificate : "";
  }

  /** Watches that are being served. */
  get watchCount(): number {
    return this.#context.watches.size;
  }

  /** Adds a user, or gives a known one new credentials beside the old. */
  addUser(user: UserOptions): UserCredentials {
    return this.#users.add(user);
  }

  /** How to reach the server as a user. Default `admin`. @throws {Error} for a user that was not added */
  connection(user = "admin"): ServerConnection {
    const { certData, keyData, token } = this.#users.credentials(user);
    return this.#tls ? { server: this.url, caData: this.caData, certData, keyData } : { server: this.url, token };
  }

  /** The same as text of a kubeconfig. */
  kubeconfig(user = "admin"): string {
    return kubeconfigText(this.connection(user), user);
  }

  /**
   * Creates definitions of custom resources and waits until what they define is served.
   *
   * @throws {StatusError} where one is invalid or there already
   * @throws {Error} where the names of one are taken
   */
  async installDefinitions(definitions: readonly unknown[]): Promise<void> {
    await installDefinitions(this.#servers, this.#storage, definitions, this.#clock);
  }

  /** Forgets history: watches and lists from older positions answer 410. Default: all of it. */
  async compact(resourceVersion: string = String(this.#storage.currentResourceVersion())): Promise<void> {
    await this.#storage.compact(resourceVersion);
  }

  /**
   * Drops every connection and comes back on the same port with the same objects. History is forgotten, as a cache that starts
   * anew has none: a watch may go on from the newest resource version, older ones answer 410.
   */
  async restart(): Promise<void> {
    await this.#close();
    await this.compact();
    await this.#listen(this.#port);
  }

  /** Drops every connection, as a failing network would; new ones are taken. */
  dropConnections(): void {
    this.#listener?.dropConnections();
  }

  /** Ends all watches, drops every connection and frees the port. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#close();
    await this.#controllers;
    this.#storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Post-start hooks: the controllers that are part of an API server, and the objects that must exist. */
  async #begin(): Promise<void> {
    this.#controllers = this.#crdController.run(this.#closing.signal);
    const { crds = [], authorization = [] } = this.#options;
    await ensureObjects(this.#servers, systemObjects, this.#clock);
    if (authorization.includes("RBAC")) {
      const { bootstrapRbac } = await import("./bootstrap-rbac.ts");
      await ensureObjects(this.#servers, bootstrapRbac(), this.#clock);
    }
    await this.installDefinitions(crds);
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
      "10.96.0.1",
    ];
    return [...new Set([...fixed, this.#host])].filter((host) => host !== "0.0.0.0" && host !== "::");
  }

  async #listen(port: number): Promise<void> {
    this.#stopping = new AbortController();
    this.#listener = new Listener({
      tls: this.#tls ? { ...this.#tls, clientCa: this.#clientCa.certificate } : undefined,
      handle: this.#handler(this.#stopping.signal),
      refuses: () => this.faults.refusesConnections,
    });
    this.#port = await this.#listener.listen(this.#host, port);
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    await this.#listener?.close();
    this.#listener = undefined;
  }

  #handler(signal: AbortSignal) {
    const { logger = silentLogger, requestTimeoutMs = 60_000 } = this.#options;
    const targets = [
      ...this.#servers,
      discoveryOf(this.#servers, () => `${this.#host}:${this.#port}`),
      ...this.#servers.slice(0, 1).map(unservedVersions),
      openApiOf(this.#servers, this.#clock),
      nonResourceEndpoints([{ name: "ping", check: () => undefined }], () => this.#paths()),
    ];
    return filterChain({
      clock: this.#clock,
      logger,
      authenticate: unionAuthenticator([
        authenticated(clientCertificateAuthenticator()),
        authenticated(bearerTokenAuthenticator([this.#users.tokens.authenticate])),
        anonymous,
      ]),
      authorize: this.#authorization.authorize,
      faults: this.faults,
      requestTimeoutMs,
      serve: (request) => serveInOrder(targets, request),
      signal,
    });
  }

  #paths(): string[] {
    const groups = this.#servers.flatMap((server) => server.resources.groups());
    const apis = groups.flatMap(({ group, versions }) =>
      group === ""
        ? ["/api", ...versions.map(({ version }) => `/api/${version}`)]
        : [`/apis/${group}`, ...versions.map(({ version }) => `/apis/${group}/${version}`)],
    );
    return [...apis, "/apis", "/healthz", "/livez", "/openapi/v3", "/readyz", "/version"].sort();
  }

  #kindOf({ info }: ApiRequest): string {
    for (const server of this.#servers) {
      const scope = server.resources.find(info.group, info.version, info.resource);
      if (scope) return scope.resource.kind;
    }
    return "";
  }
}
