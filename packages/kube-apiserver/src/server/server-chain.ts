import type { Aggregator } from "@kubewright/aggregator";
import { CrdController, installDefinitions } from "@kubewright/apiextensions";
import type { Auditor } from "@kubewright/apiserver/audit";
import { storedObjects } from "@kubewright/apiserver/authentication";
import type { ApiRequest, RunningWatches } from "@kubewright/apiserver/endpoints";
import type { InProcessHandle } from "@kubewright/apiserver/http";
import { RequestCounters } from "@kubewright/apiserver/metrics";
import type { ChainHandler, ServerFaults } from "@kubewright/apiserver/server";
import {
  AllServedResources,
  DynamicAdmission,
  discoveryOf,
  ensureObjects,
  filterChain,
  type GenericServer,
  healthPaths,
  ImpersonationFilter,
  metricsEndpoint,
  nonResourceEndpoints,
  openApiOf,
  readFieldSelector,
  readLabelSelector,
  ServingContext,
  serveInOrder,
  unservedVersions,
} from "@kubewright/apiserver/server";
import { type Clock, type Random, systemClock, systemRandom } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import type { ClosableStorage } from "@kubewright/storage";
import { accessChecks } from "../access/access-checks.ts";
import { kubeAdmission } from "../admission/kube-admission.ts";
import { roleEscalation } from "../admission/role-escalation.ts";
import {
  addressAt,
  defaultServiceRange,
  type ServiceRange,
  serviceRange,
} from "../admission/services/service-range.ts";
import { Authentication } from "../authentication/authentication.ts";
import { publishTrust } from "../authentication/authentication-config-map.ts";
import { type FrontProxy, frontProxyOf } from "../authentication/front-proxy.ts";
import { type Authorization, authorizationOf } from "../authorization/authorization-modes.ts";
import { componentEndpoints, componentPaths } from "../endpoints/component-endpoints.ts";
import { openIdEndpoints } from "../endpoints/openid-endpoints.ts";
import { FlowControl } from "../flow-control/flow-control.ts";
import { ensureFlowControl } from "../flow-control/flow-control-objects.ts";
import { ApiServiceRegistration } from "../post-start/api-service-registration.ts";
import { publishEndpoints } from "../post-start/publish-endpoints.ts";
import { systemObjects } from "../post-start/system-objects.ts";
import { aggregatorOver } from "./aggregator-over.ts";
import type { ApiServerOptions } from "./api-server-options.ts";
import { apiExtensionsServer, kubeServer } from "./kube-server.ts";
import { openAuditor } from "./open-auditor.ts";
import type { Users } from "./users.ts";

export const defaultRequestTimeoutMs = 60_000;

interface ServerChainParts {
  readonly options: ApiServerOptions;
  readonly storage: ClosableStorage;
  /** CAs of the server's own users, in PEM format. */
  readonly clientCas: readonly string[];
  readonly users: Users;
  /** Returns the server in this process that serves a host, if there is one. */
  readonly inProcess: (host: string) => InProcessHandle | undefined;
}

/**
 * The chain of servers that together form an API server, with their shared state and controllers. It is independent of
 * the API server's socket and users.
 *
 * @see kubernetes cmd/kube-apiserver/app CreateServerChain
 */
export class ServerChain {
  readonly authentication: Authentication;
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #storage: ClosableStorage;
  readonly #context: ServingContext;
  /** Admission by webhooks and policies. */
  readonly #dynamicAdmission: DynamicAdmission;
  readonly #servers: readonly GenericServer[];
  readonly #authorization: Authorization;
  readonly #impersonation: ImpersonationFilter;
  readonly #crdController: CrdController;
  readonly #registration: ApiServiceRegistration;
  readonly #frontProxy: FrontProxy;
  readonly #aggregator: Aggregator | undefined;
  readonly #flowControl: FlowControl;
  readonly #counters = new RequestCounters();
  readonly #auditor: Auditor | undefined;
  readonly #closing = new AbortController();
  readonly #controllers: Promise<void>[] = [];

  constructor({ options, storage, clientCas, users, inProcess }: ServerChainParts) {
    const { clock = systemClock, logger = silentLogger, random = systemRandom } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#logger = logger;
    this.#storage = storage;
    this.#auditor = openAuditor(options, clock, logger);
    this.authentication = new Authentication({
      options: options.authentication ?? {},
      storage,
      clock,
      random,
      ownTokens: users.tokens.authenticate,
      clientCas: [...clientCas, ...(options.clientCa === undefined ? [] : [options.clientCa])],
      identityDirectory: options.identityDirectory,
    });
    this.#authorization = authorizationOf(options.authorization ?? {}, storage, clock);
    const { authorize, rbac } = this.#authorization;
    const served = new AllServedResources();
    this.#dynamicAdmission = new DynamicAdmission({
      ...{ storage, clock, random, served, authorize, inProcess },
      admissionControlConfigFile: options.admissionControlConfigFile,
    });
    const admission = kubeAdmission({
      storage,
      clock,
      random,
      admissionPlugins: options.admissionPlugins ?? [],
      dynamicPlugins: this.#dynamicAdmission.plugins,
      serviceRange: this.#serviceRange,
      pluginSelection: { enable: options.enableAdmissionPlugins, disable: options.disableAdmissionPlugins },
      authorize,
      lastPlugins: [roleEscalation(rbac, authorize)],
    });
    this.#context = new ServingContext({
      storage,
      clock,
      random,
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
      shardedListAndWatch: options.featureGates?.ShardedListAndWatch,
      served,
      admission,
      authorize,
      accessChecks: accessChecks(storage, served, authorize),
    });
    const { authenticateToken, apiAudiences, serviceAccounts } = this.authentication;
    const parts = {
      ...this.#authorization,
      authenticateToken,
      apiAudiences,
      selectors: { fields: readFieldSelector, labels: readLabelSelector },
      signer: serviceAccounts.signer,
      lookup: storedObjects(storage),
      maxExpirationSeconds:
        (options.authentication?.serviceAccountMaxTokenExpirationMs ?? Number.POSITIVE_INFINITY) / 1_000,
      kubelets: options.kubelets,
      extendsExpiration: options.authentication?.serviceAccountExtendTokenExpiration ?? true,
    };
    const kube = kubeServer(this.#context, parts, options.eventTtlSeconds, options.runtimeConfig);
    const extensions = apiExtensionsServer(this.#context);
    this.#servers = [kube, extensions];
    this.#crdController = new CrdController(this.#context, extensions, this.#dynamicAdmission.clients, logger);
    this.#registration = new ApiServiceRegistration(this.#servers, clock, logger);
    this.#frontProxy = frontProxyOf(options, options.authentication ?? {}, options.identityDirectory);
    const { resolveService } = this.#dynamicAdmission;
    this.#aggregator = aggregatorOver(kube, {
      ...{ storage, clock, logger, resolveService, frontProxy: this.#frontProxy },
      changed: () => {
        if (!this.#closing.signal.aborted) this.#registration.check();
      },
    });
    this.#impersonation = new ImpersonationFilter(authorize);
    this.#flowControl = new FlowControl(storage, clock, logger);
  }

  get watches(): RunningWatches {
    return this.#context.watches;
  }

  /** The server's own cluster address, which is the first address for Services. */
  get serviceAddress(): string {
    return addressAt(this.#serviceRange, 1);
  }

  /**
   * Creates CRDs and waits until they are served.
   *
   * @throws {StatusError} if a CRD is not valid or already exists
   */
  async installDefinitions(definitions: readonly unknown[]): Promise<void> {
    await installDefinitions(this.#servers, this.#storage, definitions, this.#clock);
  }

  /** Runs the post-start hooks, which start the server's controllers and create the objects that must exist. */
  async begin(): Promise<void> {
    const { signal } = this.#closing;
    this.#own(this.#crdController.run(signal), this.#dynamicAdmission.run(signal));
    await Promise.all([this.#crdController.synced, this.#dynamicAdmission.synced]);
    const { crds = [], checkPolicyTypes = false } = this.#options;
    const [kube] = this.#servers;
    if (checkPolicyTypes && kube) {
      const { PolicyStatusController } = await import("../post-start/policy-status-controller.ts");
      const statuses = new PolicyStatusController(this.#context, kube, this.#logger);
      this.#own(statuses.run(signal));
    }
    const facts = {
      apiServiceAddress: addressAt(this.#serviceRange, 1),
      serviceRange: this.#serviceRange.text,
      nowMs: this.#clock.now(),
    };
    await ensureObjects(this.#servers, systemObjects(facts), this.#clock);
    if (this.#authorization.usesRbac) {
      const { bootstrapRbac } = await import("../authorization/bootstrap-rbac.ts");
      await ensureObjects(this.#servers, bootstrapRbac(), this.#clock);
    }
    await publishTrust({
      servers: this.#servers,
      storage: this.#storage,
      clock: this.#clock,
      clientCa: this.authentication.trusted.clientCa,
      frontProxyCa: this.#frontProxy.authority ?? this.authentication.trusted.frontProxyCa,
      headers: this.#frontProxy.headers,
    });
    await ensureFlowControl(this.#servers, this.#clock);
    const schemas = kube?.resources.find("flowcontrol.apiserver.k8s.io", "v1", "flowschemas");
    this.#own(this.#flowControl.run(schemas, signal));
    await installDefinitions(this.#servers, this.#storage, crds, this.#clock, true);
    await this.#registration.start(signal);
    if (!this.#aggregator) return;
    this.#own(this.#aggregator.run(signal));
    await this.#aggregator.synced;
  }

  /** Publishes the server's address in the endpoints of the Service `kubernetes`, if the options contain an address. */
  async advertise(port: number): Promise<void> {
    const { advertiseAddress } = this.#options;
    if (advertiseAddress === undefined) return;
    await publishEndpoints(this.#servers, this.#clock, advertiseAddress, port).catch((err: unknown) =>
      this.#logger.warn({ err, advertiseAddress }, "cannot publish the API server's endpoints"),
    );
  }

  /** Returns the handler for all requests. @param address the server's address, as `host:port` */
  handler(faults: ServerFaults, address: () => string, signal: AbortSignal): ChainHandler {
    const { requestTimeoutMs = defaultRequestTimeoutMs } = this.#options;
    const targets = [
      ...(this.#aggregator ? [this.#aggregator] : []),
      ...this.#servers,
      discoveryOf(this.#servers, address, this.#aggregator),
      ...this.#servers.slice(0, 1).map(unservedVersions),
      openApiOf(this.#servers, this.#clock, this.#aggregator),
      metricsEndpoint(this.#counters, this.#servers, this.#storage, () => this.#flowControl.nominalSeats()),
      componentEndpoints({ clock: this.#clock, flags: this.#options.flags ?? {} }),
      openIdEndpoints(() => this.authentication.serviceAccounts.metadata(address())),
      nonResourceEndpoints([], () => this.#paths()),
    ];
    return filterChain({
      clock: this.#clock,
      random: this.#random,
      logger: this.#logger,
      authenticate: this.authentication.authenticate,
      authorize: this.#authorization.authorize,
      impersonation: this.#impersonation,
      flowControl: this.#flowControl,
      faults,
      counters: this.#counters,
      auditor: this.#auditor,
      requestTimeoutMs,
      serve: (request) => serveInOrder(targets, request),
      signal,
    });
  }

  /** Returns the name of the kind that a request refers to, or an empty string if the kind is not served. */
  kindOf({ info }: ApiRequest): string {
    for (const server of this.#servers) {
      const scope = server.resources.find(info.group, info.version, info.resource);
      if (scope) return scope.resource.kind;
    }
    return "";
  }

  /** Runs background tasks until the server stops. If one of them fails, the others and the process continue to run. */
  #own(...running: Promise<void>[]): void {
    const report = (err: unknown): void =>
      this.#logger.error({ err }, "a controller in the API server ended unexpectedly");
    for (const each of running) this.#controllers.push(each.catch(report));
  }

  /** Stops the controllers. */
  stopControllers(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    await Promise.all(this.#controllers);
    await this.#registration.settled();
    await this.authentication.close();
    await this.#authorization.close();
    await this.#auditor?.close();
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
    return [...new Set([...apis, ...others, ...openApi, ...healthPaths, ...componentPaths, "/version"])].sort();
  }

  get #serviceRange(): ServiceRange {
    const { serviceClusterIpRange: text } = this.#options;
    return text === undefined ? defaultServiceRange : serviceRange(text);
  }
}
