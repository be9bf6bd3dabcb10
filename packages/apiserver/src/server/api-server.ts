import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { addressAt, defaultServiceRange, type ServiceRange, serviceRange } from "../admission/service-range.ts";
import type { Auditor } from "../audit/auditor.ts";
import { storedObjects } from "../authentication/object-lookup.ts";
import type { ServiceAccountTokenSigner } from "../authentication/service-account/token-signer.ts";
import type { ApiRequest } from "../endpoints/api-request.ts";
import { RequestCounters } from "../metrics/request-counters.ts";
import type { ClosableStorage } from "../storage/storage.ts";
import { ApiServiceRegistration } from "./api-service-registration.ts";
import { Authentication } from "./authentication.ts";
import { publishTrust } from "./authentication-config-map.ts";
import type { AuthenticationOptions } from "./authentication-options.ts";
import { readFieldSelector, readLabelSelector } from "./authorization-attributes.ts";
import { type Authorization, authorizationOf } from "./authorization-modes.ts";
import type { AuthorizationMode, AuthorizationOptions } from "./authorization-options.ts";
import type { CertificateAuthority, IssuedCertificate } from "./certificates/certificate-authority.ts";
import { certificateAuthority } from "./certificates/kept-authority.ts";
import { Compactor } from "./compactor.ts";
import { CrdController } from "./crd-controller.ts";
import { ensureObjects } from "./ensure-objects.ts";
import { Faults } from "./faults.ts";
import { filterChain } from "./filter-chain.ts";
import { ensureFlowControl } from "./flow-control-objects.ts";
import { discoveryOf, type GenericServer, openApiOf, serveInOrder, unservedVersions } from "./generic-server.ts";
import { healthPaths } from "./health-endpoints.ts";
import { Impersonation } from "./impersonation.ts";
import { installDefinitions } from "./install-definitions.ts";
import { apiExtensionsServer, kubeServer } from "./kube-server.ts";
import { kubeconfigText, type ServerConnection } from "./kubeconfig.ts";
import { Listener } from "./listener.ts";
import { metricsEndpoint } from "./metrics-endpoint.ts";
import { nonResourceEndpoints } from "./non-resource-endpoints.ts";
import { type AuditOptions, openAuditor } from "./open-auditor.ts";
import { openIdEndpoints } from "./openid-endpoints.ts";
import { publishEndpoints } from "./publish-endpoints.ts";
import { roleEscalation } from "./role-escalation.ts";
import { ServingContext } from "./serving-context.ts";
import { openStorage, type StorageOptions } from "./storage-options.ts";
import { systemObjects } from "./system-objects.ts";
import { type UserCredentials, type UserOptions, Users } from "./users.ts";

export interface ApiServerOptions extends AuditOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** HTTPS with a generated CA. Default true; otherwise plain HTTP, and users have tokens only. */
  readonly tls?: boolean;
  /** HTTP/2 for clients that ask for it, over TLS. Default true. */
  readonly http2?: boolean;
  /** Certificate chain and key of the server, PEM. Default: made up, signed by a generated CA. */
  readonly serving?: { readonly certificate: string; readonly key: string };
  /** Signs the certificates of further users, PEM: one or several certificates. Users of this server have their own. */
  readonly clientCa?: string;
  /** Beside `admin`, who may do everything. */
  readonly users?: readonly UserOptions[];
  /** Definitions of custom resources to install: whole objects. One that the storage has already takes the new specification. */
  readonly crds?: readonly unknown[];
  /** Ways to come in beside the users of this server, and how ServiceAccount tokens are made. */
  readonly authentication?: AuthenticationOptions;
  /** Tried in order. Default `["AlwaysAllow"]`. */
  readonly authorization?: readonly AuthorizationMode[] | AuthorizationOptions;
  /** Built-in admission plugins to switch on beside those that are on by default, named as in kube-apiserver. */
  readonly enableAdmissionPlugins?: readonly string[];
  /** Built-in admission plugins to switch off. */
  readonly disableAdmissionPlugins?: readonly string[];
  /** In-process admission plugins, before the built-in policies and webhooks. */
  readonly admissionPlugins?: readonly AdmissionPlugin[];
  /** Default: in memory. */
  readonly storage?: StorageOptions;
  /**
   * A folder for the server's certificate authorities, made where it is not there: with it, certificates that were handed out are
   * good after a restart of the process. Default: the authorities are made anew.
   */
  readonly identityDirectory?: string;
  /** The server's address in the endpoints of Service `kubernetes`. Default: they are not made. */
  readonly advertiseAddress?: string;
  /** Where Services get their addresses: an IPv4 network. Default `10.96.0.0/12`. */
  readonly serviceClusterIpRange?: string;
  /** Changes remembered for each resource: how far back a watch may start. Default 1000. */
  readonly historyLength?: number;
  /** History older than one to two intervals is forgotten. Default 300000; 0: never by time. */
  readonly compactionIntervalMs?: number;
  /** How long events are kept after they were written. Default 3600. */
  readonly eventTtlSeconds?: number;
  /** Default 60000. */
  readonly bookmarkIntervalMs?: number;
  /** Default 60000. */
  readonly requestTimeoutMs?: number;
  /**
   * Checks the types in the expressions of ValidatingAdmissionPolicies and tells in their status, as a control plane does. Default
   * false: kube-apiserver by itself does not.
   */
  readonly checkPolicyTypes?: boolean;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const defaultRequestTimeoutMs = 60_000;

/**
 * A Kubernetes API server in this process: kube-apiserver's behaviour on an in-memory store. It runs no controllers.
 *
 * Constructed only by {@link ApiServer.start}; lives until {@link ApiServer.stop}.
 */
export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #ca: CertificateAuthority;
  readonly #clientCa: CertificateAuthority;
  readonly #users: Users;
  readonly #storage: ClosableStorage;
  readonly #context: ServingContext;
  readonly #servers: readonly GenericServer[];
  readonly #authentication: Authentication;
  readonly #authorization: Authorization;
  readonly #impersonation: Impersonation;
  readonly #crdController: CrdController;
  readonly #registration: ApiServiceRegistration;
  readonly #counters = new RequestCounters();
  readonly #auditor: Auditor | undefined;
  readonly #compactor: Compactor | undefined;
  readonly #closing = new AbortController();
  #controllers: Promise<unknown> = Promise.resolve();
  readonly #tls: { readonly certificate: string; readonly key: string } | undefined;
  #stopping = new AbortController();
  #listener: Listener | undefined;
  #port = 0;
  /** Trouble on request. */
  readonly faults: Faults;

  private constructor(options: ApiServerOptions, storage: ClosableStorage) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#storage = storage;
    const { compactionIntervalMs = 300_000 } = options;
    if (compactionIntervalMs > 0)
      this.#compactor = new Compactor(storage, compactionIntervalMs, this.#clock, options.logger ?? silentLogger);
    this.#auditor = openAuditor(options, this.#clock, options.logger ?? silentLogger);
    const { identityDirectory } = options;
    this.#ca = certificateAuthority("kubewright-ca", identityDirectory);
    this.#clientCa = certificateAuthority("kubewright-client-ca", identityDirectory);
    this.#users = new Users(this.#clientCa);
    this.#authentication = new Authentication({
      options: options.authentication ?? {},
      storage,
      clock: this.#clock,
      ownTokens: this.#users.tokens.authenticate,
      clientCas: [this.#clientCa.certificate, ...(options.clientCa === undefined ? [] : [options.clientCa])],
      identityDirectory,
    });
    this.#authorization = authorizationOf(options.authorization ?? {}, this.#storage, this.#clock);
    const { authorize, rbac } = this.#authorization;
    this.#context = new ServingContext({
      storage: this.#storage,
      clock: this.#clock,
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
      admissionPlugins: options.admissionPlugins ?? [],
      serviceRange: this.#serviceRange,
      pluginSelection: { enable: options.enableAdmissionPlugins, disable: options.disableAdmissionPlugins },
      authorize,
      lastPlugins: [roleEscalation(rbac, authorize)],
    });
    const { authenticateToken, apiAudiences, serviceAccounts } = this.#authentication;
    const parts = {
      ...this.#authorization,
      authenticateToken,
      apiAudiences,
      selectors: { fields: readFieldSelector, labels: readLabelSelector },
      signer: serviceAccounts.signer,
      lookup: storedObjects(storage),
      maxExpirationSeconds: (options.authentication?.serviceAccountMaxTokenExpirationMs ?? 0) / 1_000,
      extendsExpiration: options.authentication?.serviceAccountExtendTokenExpiration ?? true,
    };
    const kube = kubeServer(this.#context, parts, options.eventTtlSeconds);
    const extensions = apiExtensionsServer(this.#context);
    this.#servers = [kube, extensions];
    this.#crdController = new CrdController(this.#context, extensions, options.logger ?? silentLogger);
    this.#registration = new ApiServiceRegistration(this.#servers, this.#clock, options.logger ?? silentLogger);
    this.#impersonation = new Impersonation(authorize);
    this.faults = new Faults(this.#context.watches, this.#clock, (request) => this.#kindOf(request));
    if (options.tls ?? true) {
      const { certificate, key } = options.serving ?? this.#ca.issueServer("kube-apiserver", this.#hosts());
      this.#tls = { certificate, key };
    }
    for (const user of [{ name: "admin", groups: ["system:masters"] }, ...(options.users ?? [])]) this.#users.add(user);
  }

  /** @throws {Error} where the address is not free, or the storage cannot be opened */
  static async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const { clock = systemClock, logger = silentLogger, historyLength } = options;
    const storage = await openStorage(options.storage ?? { type: "memory" }, { clock, logger, historyLength });
    try {
      const server = new ApiServer(options, storage);
      return await server.#run();
    } catch (error) {
      await storage.close();
      throw error;
    }
  }

  get port(): number {
    return this.#port;
  }

  /** Where clients on this machine find the server. */
  get url(): string {
    const reachable = this.#host.replace(/^0\.0\.0\.0$/, "127.0.0.1").replace(/^::$/, "::1");
    const host = reachable.includes(":") ? `[${reachable}]` : reachable;
    return `${this.#tls ? "https" : "http"}://${host}:${this.#port}`;
  }

  /** The CA of the server's certificate, PEM; where the certificate was given, its own chain. Empty without TLS. */
  get caData(): string {
    if (!this.#tls) return "";
    return this.#options.serving?.certificate ?? this.#ca.certificate;
  }

  /** Signs tokens of ServiceAccounts as this server does, for controllers that put them into Secrets. */
  get serviceAccountTokens(): ServiceAccountTokenSigner {
    return this.#authentication.serviceAccounts.signer;
  }

  /** Certificate and key of the authority that signs clients' certificates, for a signer of CertificateSigningRequests. */
  get signingAuthority(): IssuedCertificate {
    return this.#clientCa.export();
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

  /**
   * Goes back to the state at a resource version, as restoring a backup would: every connection is dropped, what was written since is
   * gone, and its versions are given anew.
   *
   * @throws {StorageError} where that state is forgotten, or there was none yet
   * @throws {Error} where objects are not in memory alone
   */
  async goBackInTime(resourceVersion: string): Promise<void> {
    if (!this.#storage.rewind) throw new Error("only a server that keeps objects in memory can go back in time");
    await this.#storage.rewind(resourceVersion);
    this.dropConnections();
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
    await this.#registration.settled();
    await this.#authentication.close();
    await this.#authorization.close();
    this.#compactor?.stop();
    await this.#auditor?.close();
    await this.#storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<this> {
    try {
      await this.#begin();
      await this.#listen(this.#options.port ?? 0);
      await this.#advertise();
      return this;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #advertise(): Promise<void> {
    const { advertiseAddress, logger = silentLogger } = this.#options;
    if (advertiseAddress === undefined) return;
    await publishEndpoints(this.#servers, this.#clock, advertiseAddress, this.#port).catch((err: unknown) =>
      logger.warn({ err, advertiseAddress }, "endpoints of the API server not published"),
    );
  }

  /** Post-start hooks: the controllers that are part of an API server, and the objects that must exist. */
  async #begin(): Promise<void> {
    const { dynamicAdmission } = this.#context;
    const { signal } = this.#closing;
    this.#controllers = Promise.all([this.#crdController.run(signal), dynamicAdmission.run(signal)]);
    await Promise.all([this.#crdController.synced, dynamicAdmission.synced]);
    const { crds = [], checkPolicyTypes = false, logger = silentLogger } = this.#options;
    const [kube] = this.#servers;
    if (checkPolicyTypes && kube) {
      const { PolicyStatusController } = await import("./policy-status-controller.ts");
      const statuses = new PolicyStatusController(this.#context, kube, logger);
      this.#controllers = Promise.all([this.#controllers, statuses.run(signal)]);
    }
    const facts = {
      apiServiceAddress: addressAt(this.#serviceRange, 1),
      serviceRange: this.#serviceRange.text,
      nowMs: this.#clock.now(),
    };
    await ensureObjects(this.#servers, systemObjects(facts), this.#clock);
    if (this.#authorization.usesRbac) {
      const { bootstrapRbac } = await import("./bootstrap-rbac.ts");
      await ensureObjects(this.#servers, bootstrapRbac(), this.#clock);
    }
    await publishTrust({
      servers: this.#servers,
      storage: this.#storage,
      clock: this.#clock,
      options: this.#options.authentication ?? {},
      ...this.#authentication.trusted,
    });
    await ensureFlowControl(this.#servers, this.#clock);
    await installDefinitions(this.#servers, this.#storage, crds, this.#clock, true);
    await this.#registration.start(signal);
  }

  get #serviceRange(): ServiceRange {
    const { serviceClusterIpRange: text } = this.#options;
    return text === undefined ? defaultServiceRange : serviceRange(text);
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
      addressAt(this.#serviceRange, 1),
    ];
    return [...new Set([...fixed, this.#host])].filter((host) => host !== "0.0.0.0" && host !== "::");
  }

  async #listen(port: number): Promise<void> {
    this.#stopping = new AbortController();
    this.#listener = new Listener({
      tls: this.#tls ? { ...this.#tls, clientCas: this.#authentication.trustedCas } : undefined,
      http2: this.#options.http2 ?? true,
      handle: this.#handler(this.#stopping.signal),
      refuses: () => this.faults.refusesConnections,
      requestTimeoutMs: this.#options.requestTimeoutMs ?? defaultRequestTimeoutMs,
    });
    this.#port = await this.#listener.listen(this.#host, port);
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    await this.#listener?.close();
    this.#listener = undefined;
  }

  #handler(signal: AbortSignal) {
    const { logger = silentLogger, requestTimeoutMs = defaultRequestTimeoutMs } = this.#options;
    const targets = [
      ...this.#servers,
      discoveryOf(this.#servers, () => `${this.#host}:${this.#port}`),
      ...this.#servers.slice(0, 1).map(unservedVersions),
      openApiOf(this.#servers, this.#clock),
      metricsEndpoint(this.#counters, this.#servers, this.#storage),
      openIdEndpoints(() => this.#authentication.serviceAccounts.metadata(`${this.#host}:${this.#port}`)),
      nonResourceEndpoints([], () => this.#paths()),
    ];
    return filterChain({
      clock: this.#clock,
      logger,
      authenticate: this.#authentication.authenticate,
      authorize: this.#authorization.authorize,
      impersonation: this.#impersonation,
      faults: this.faults,
      counters: this.#counters,
      auditor: this.#auditor,
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
    const others = ["/.well-known/openid-configuration", "/apis", "/apis/", "/metrics", "/openid/v1/jwks"];
    const openApi = ["/openapi/v2", "/openapi/v3", "/openapi/v3/"];
    return [...new Set([...apis, ...others, ...openApi, ...healthPaths, "/version"])].sort();
  }

  #kindOf({ info }: ApiRequest): string {
    for (const server of this.#servers) {
      const scope = server.resources.find(info.group, info.version, info.resource);
      if (scope) return scope.resource.kind;
    }
    return "";
  }
}
