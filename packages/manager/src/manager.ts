import { channel } from "node:diagnostics_channel";
import {
  type DefinedKind,
  type DescribedResource,
  describedResource,
  type Kind,
  type Permission,
  type PermissionOptions,
  type PermissionVerb,
  permissionFor,
  type RESTMapper,
} from "@kubewright/apimachinery";
import type { InformerCache } from "@kubewright/cache";
import type { CachedReadWriter, Client, Fence } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import type { Elector } from "@kubewright/leader-election";
import { defaultLogger, type Logger, safeLogger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { QueueMetricsProvider } from "@kubewright/workqueue";
import { Cluster, type ClusterClients } from "./cluster.ts";
import type { EventsApi } from "./event-recorders.ts";
import type { HealthCheck, HealthCheckOptions } from "./health/health-checks.ts";
import type { HttpHandler } from "./http/http-server.ts";
import { leaseNamespace, makeElector } from "./leader-election/leader-election-options.ts";
import { leaderFence } from "./leader-election/leader-fence.ts";
import { type ManagerDescription, managerDescription, programName } from "./manager-description.ts";
import type { ControllerDefaults, ManagerOptions } from "./manager-options.ts";
import { certificateMetrics } from "./metrics/certificate-metrics.ts";
import { freshnessMetrics, informerMetrics } from "./metrics/informer-metrics.ts";
import { leaderMetrics } from "./metrics/leader-metrics.ts";
import { Metrics } from "./metrics/metrics.ts";
import { queueMetrics } from "./metrics/queue-metrics.ts";
import { reconcileMetrics } from "./metrics/reconcile-metrics.ts";
import { requestMetrics } from "./metrics/request-metrics.ts";
import { webhookMetrics } from "./metrics/webhook-metrics.ts";
import { Preflight } from "./permissions/preflight.ts";
import { refusalLog } from "./permissions/refusal-log.ts";
import type { RunnableDescription } from "./runnable/description.ts";
import { Lifecycle } from "./runnable/lifecycle.ts";
import type { GroupName, Inspection, InspectionDetail, Runnable } from "./runnable/runnable.ts";
import { ManagerServers } from "./servers.ts";
import { ManagerWebhooks } from "./webhooks.ts";

/** Tools that run a program hear of its managers there, as `kubewright dev` does. */
const runs = channel("kubewright.manager.run");

/**
 * Runs what a program is made of, in order: servers, webhooks, caches (waiting for them to sync), what every process does, warmups,
 * and, once this process leads, what only the leader does. It ends all of it, in order, when the signal aborts or one part fails.
 *
 * Constructing it starts nothing and connects to nothing.
 *
 * @see controller-runtime pkg/manager Manager
 */
export class Manager {
  /** Of the options, which runnables may share. */
  readonly logger: Logger;
  /** By which everything here tells the time. */
  readonly clock: Clock;
  /** The cluster that it works on: what makes `client`, `cache` and recorders. */
  readonly cluster: Cluster;
  /** What is served at `/metrics`; metrics of one's own are made here. */
  readonly metrics: Metrics = new Metrics({ ofProcess: true });
  /** Metrics of queues by their names: `workqueue_*`. */
  readonly queueMetrics: QueueMetricsProvider = queueMetrics(this.metrics);
  /** Metrics of the controller with a given name. */
  readonly controllerMetrics: ReturnType<typeof reconcileMetrics> = reconcileMetrics(this.metrics);
  /** For certificates that are served beside the manager's own: those of webhooks. */
  readonly certificateMetrics: ReturnType<typeof certificateMetrics> = certificateMetrics(this.metrics);
  /** What controllers of this manager do where they do not say otherwise themselves. */
  readonly controllerDefaults: ControllerDefaults;
  /** Lets writes out while this process leads; absent without leader election. For a further `Cluster` that only the leader writes to. */
  readonly fence: Fence | undefined;
  /** What API servers ask this process; see `ManagerWebhooks`. */
  readonly webhooks: ManagerWebhooks;
  readonly #options: ManagerOptions;
  readonly #servers: ManagerServers;
  readonly #elector: Elector | undefined;
  readonly #lifecycle: Lifecycle;
  readonly #preflight: Preflight | undefined;
  readonly #runnables = new Set<Runnable>();
  readonly #permissions: Permission[] = [];
  readonly #defined: DescribedResource[] = [];
  readonly #names = new Set<string>();
  readonly #stopCounting: () => void;

  /** @throws {Error} if options do not fit together */
  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    this.controllerDefaults = options.controllerDefaults ?? {};
    this.logger = safeLogger(options.logger ?? defaultLogger());
    this.clock = options.clock ?? systemClock;
    const informers = informerMetrics(this.metrics);
    const election = options.leaderElection;
    this.fence = election ? leaderFence(() => this.#requireElector()) : undefined;
    const { clock, logger, fence } = this;
    this.cluster = new Cluster({ ...options, logger, clock, fence, informerMetrics: informers });
    freshnessMetrics(this.metrics, this.cache);
    this.#lifecycle = new Lifecycle({
      clock,
      logger,
      gracefulShutdownTimeoutMs: options.gracefulShutdownTimeoutMs ?? 30_000,
      lingerMs: () => this.webhooks.lingerMs,
      require: () => this.#requireSurroundings(),
      close: async (atOnce) => {
        await this.cluster.close(atOnce ? 0 : undefined);
        this.#stopCounting();
      },
    });
    const { apiReader: live } = this.unfenced;
    const requests = requestMetrics(this.metrics, options.metrics?.requestDetails ?? false);
    const observed = [requests, refusalLog(logger)].map((observer) => live.connection.observe(observer));
    this.#stopCounting = () => {
      for (const stop of observed) stop();
    };
    const recorder = this.recorderFor("leader-election");
    this.#elector = election
      ? makeElector(election, {
          client: live.with({ retryUntil: new AbortController().signal }), // the Lease is given back when all else has ended
          events: (lease, event) => recorder.event(lease, event),
          metrics: leaderMetrics(this.metrics),
          clock,
          logger,
          mayRelease: () => this.#lifecycle.hasEndedLeading,
        })
      : undefined;
    if (this.#elector) this.#lifecycle.electBy(this.#elector);
    const { certificateMetrics } = this;
    this.#servers = new ManagerServers(options, this.metrics, { client: live, clock, logger, certificateMetrics });
    for (const server of this.#servers.all) this.add(server);
    this.#preflight = this.#newPreflight();
    const { informers: areChecked } = options.health ?? {};
    if (areChecked)
      this.addReadyCheck("informers", this.cache.readinessCheck(areChecked === true ? {} : { ...areChecked }));
    this.webhooks = this.#newWebhooks();
    this.add(this.cluster.cacheRunnable);
  }

  /**
   * Reads from the cache, writes to the API server; `caughtUp` waits for the one to show the other. With leader election it writes
   * only while this process leads, else with `NotLeadingError`.
   */
  get client(): CachedReadWriter {
    return this.cluster.client;
  }

  /** As {@link client}, with reads live. */
  get apiReader(): Client {
    return this.cluster.apiReader;
  }

  /** `client` and `apiReader` for what every replica writes, whether it leads or not: its own certificate, say. */
  get unfenced(): ClusterClients {
    return this.cluster.unfenced;
  }

  /** What `client` reads from. It runs with the manager, and an informer begins with the first read of its kind. */
  get cache(): InformerCache {
    return this.cluster.cache;
  }

  /** Which resource a kind is, and which kind a resource, as the API server has them. */
  get mapper(): RESTMapper {
    return this.cluster.apiReader.mapper;
  }

  /** Resolves when this process leads, or at once where there is no election. */
  get elected(): Promise<void> {
    return this.#lifecycle.elected;
  }

  /** Where the metrics server listens, once it does. */
  get metricsPort(): number | undefined {
    return this.#servers.metricsPort;
  }

  /** Where the profiling server listens, once it does. */
  get profilingPort(): number | undefined {
    return this.#servers.profilingPort;
  }

  /** Where the health server listens, once it does. */
  get healthPort(): number | undefined {
    return this.#servers.healthPort;
  }

  /** The client for what runs in a group: {@link client} for the leader's work, else the {@link unfenced} one. */
  clientFor(group: GroupName): CachedReadWriter {
    return group === "leaderElection" ? this.client : this.unfenced.client;
  }

  /** Tells of events in the name of `controller`, with the API that `eventsApi` says or a given one. */
  recorderFor(controller: string, api?: EventsApi): EventRecorder {
    return this.cluster.recorderFor(controller, api);
  }

  /** Reserves a name that must be unique in this manager. @throws {Error} if it is taken */
  claimName(name: string): void {
    if (this.#names.has(name))
      throw new Error(`controller with name ${name} already exists. Controller names must be unique`);
    this.#names.add(name);
  }

  /** Adds something to run; once the manager runs, it is started at once. @throws {Error} if the manager is stopping */
  add(runnable: Runnable): void {
    this.#lifecycle.add(this.#preflight?.guard(runnable) ?? runnable);
    this.#runnables.add(runnable);
  }

  /**
   * What the program does with a kind besides what its controllers and webhooks say: for its roles.
   *
   * @throws {Error} if no verb is named, or one is a wildcard
   */
  needs(kind: Kind, verbs: readonly PermissionVerb[], options: PermissionOptions = {}): void {
    this.#permissions.push(permissionFor(kind, verbs, options));
  }

  /** Kinds of the program's own that no controller watches and no webhook is about: they are described with the others. */
  defines(...kinds: readonly Pick<DefinedKind, keyof DefinedKind>[]): void {
    this.#defined.push(...kinds.map(describedResource));
  }

  /**
   * What this program is: kinds, controllers, webhooks, permissions. Nothing runs for it, and no cluster is asked; a manager that is only
   * described needs none.
   *
   * @throws {Error} for an address of metrics, probes or profiles that is none
   */
  describe(): ManagerDescription {
    const service = { namespace: "system", name: "webhook-service" };
    return managerDescription({
      options: this.#options,
      runnables: this.#described(),
      permissions: this.#permissions,
      defined: this.#defined,
      webhookConfigurations: this.webhooks.configurations({ service, caBundle: "" }),
    });
  }

  /**
   * How what was added is doing right now.
   *
   * @param only looks closely at what has this name, and at nothing else
   */
  inspect(only?: { readonly name: string } & InspectionDetail): readonly Inspection[] {
    return [...this.#runnables].flatMap((one) => {
      const { name = "", group = "leaderElection" } = one;
      return one.inspect && (!only || only.name === name) ? { name, group, state: one.inspect(only) } : [];
    });
  }

  /** Whether this process leads, and who else does as far as that was seen. Without an election it leads. */
  get leadership(): { readonly isElected: boolean; readonly leads: boolean; readonly leader: string } {
    const elector = this.#elector;
    return { isElected: elector !== undefined, leads: elector?.leads ?? true, leader: elector?.leader ?? "" };
  }

  /** @throws {Error} if there is one of this name */
  addHealthCheck(name: string, check: HealthCheck, options?: HealthCheckOptions): void {
    this.#servers.health.add(name, check, options);
  }

  /** @throws {Error} if there is one of this name */
  addReadyCheck(name: string, check: HealthCheck, options?: HealthCheckOptions): void {
    this.#servers.ready.add(name, check, options);
  }

  /** Serves one more path with the metrics, guarded as they are. @throws {Error} if the path is taken */
  addMetricsHandler(path: string, handler: HttpHandler): void {
    this.#servers.addMetricsHandler(path, handler);
  }

  /**
   * Runs everything until the signal aborts, then ends it gracefully.
   *
   * When leadership is lost, in whatever state, the signals of all that only the leader runs abort before control returns to the
   * event loop, and `run` ends without waiting for them.
   *
   * The channel `kubewright.manager.run` of `node:diagnostics_channel` is told of this manager.
   *
   * @throws what a runnable threw; an error when runnables did not end in time; `NotLeadingError` when leadership was lost before
   * the leader's work had ended
   */
  run(signal: AbortSignal): Promise<void> {
    const running = this.#lifecycle.run(signal);
    runs.publish(this);
    return running;
  }

  /** A server of webhooks that is not run is described all the same. */
  #described(): RunnableDescription[] {
    const { server } = this.webhooks;
    const all = new Set([...this.#runnables, ...(server ? [server] : [])]);
    return [...all].flatMap((one) => one.describe?.() ?? []);
  }

  /** What the machine has to say, which nobody looked for before. @throws {Error} that tells what is missing, and where it was looked for */
  #requireSurroundings(): void {
    void this.unfenced.apiReader.connection.settings;
    if (this.#options.leaderElection) leaseNamespace(this.#options.leaderElection);
  }

  #requireElector(): Elector {
    if (!this.#elector) throw new Error("the manager is still being made");
    return this.#elector;
  }

  #newPreflight(): Preflight | undefined {
    const { preflight: asked = false } = this.#options;
    if (asked === false) return undefined;
    const { clock, logger } = this;
    const { apiReader: client } = this.unfenced;
    const options = asked === true ? {} : asked;
    const preflight = new Preflight({ ...options, client, clock, logger, describe: () => this.describe() });
    this.#servers.ready.add("permissions", () => preflight.check(), { tellsWhy: true });
    this.add(preflight.runnable);
    return preflight;
  }

  #newWebhooks(): ManagerWebhooks {
    const { server: _server, disabled: _disabled, lingerMs: _lingerMs, ...listen } = this.#options.webhooks ?? {};
    const { clock, logger } = this;
    return new ManagerWebhooks(this.#options.webhooks ?? {}, {
      serverOptions: () => {
        const metrics = webhookMetrics(this.metrics);
        const { certificateMetrics } = this;
        const certificateEvents = this.recorderFor("webhook-certificates");
        const certificateClient = this.unfenced.apiReader;
        const certificates = { certificateClient, certificateMetrics, certificateEvents };
        const upkeep = { leaderClient: this.apiReader, program: programName(this.#options) };
        return { ...listen, client: this.clientFor("webhooks"), clock, logger, metrics, ...certificates, ...upkeep };
      },
      serve: (server) => {
        this.add(server);
        if (server.upkeep) this.add(server.upkeep);
        this.addReadyCheck("webhooks", () => server.check());
      },
    });
  }
}
