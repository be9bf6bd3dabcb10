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
import { ReconcileRecording } from "@kubewright/replay/recording";
import type { QueueMetricsProvider } from "@kubewright/workqueue";
import { Cluster, type ClusterClients, type ClusterOptions } from "./cluster.ts";
import type { HealthCheck, HealthCheckOptions } from "./health-checks.ts";
import type { HttpHandler } from "./http-server.ts";
import {
  LeaderFence,
  leaseNamespace,
  makeElector,
  namespaceOfThisPod,
  type ShardingOptions,
  Shards,
} from "./leader-election.ts";
import { Lifecycle } from "./lifecycle.ts";
import { type ManagerDescription, managerDescription, programName } from "./manager-description.ts";
import { ManagerMetrics } from "./manager-metrics.ts";
import type { ControllerDefaults, ManagerOptions } from "./manager-options.ts";
import { Metrics } from "./metrics.ts";
import { Preflight } from "./preflight.ts";
import { refusalLog } from "./refusals.ts";
import type { GroupName, Inspection, InspectionDetail, KeyAction, Runnable, RunnableDescription } from "./runnable.ts";
import { ManagerServers } from "./servers.ts";
import { ManagerWebhooks } from "./webhooks.ts";

/** Channel that notifies tools that run a program, such as `kubewright dev`, of its managers. */
const runs = channel("kubewright.manager.run");

/**
 * Starts the parts of a program in order: servers, webhooks, caches (waiting until they have synced), work that every
 * replica does, warmups and, once this process is the leader, the leader's work. Stops all parts in order when the
 * signal aborts or a part fails.
 *
 * The constructor starts nothing and opens no connection.
 *
 * @see controller-runtime pkg/manager Manager
 */
export class Manager {
  /** Logger from the options, for use by runnables. */
  readonly logger: Logger;
  /** Clock used by all parts. */
  readonly clock: Clock;
  /** The manager's cluster, with `client`, `cache` and recorders. */
  readonly cluster: Cluster;
  /** Metrics served at `/metrics`. Create your own metrics here. */
  readonly metrics: Metrics = new Metrics({ ofProcess: true });
  readonly #partMetrics = new ManagerMetrics(this.metrics);
  /** Creates a queue's `workqueue_*` metrics. Receives the queue's name. */
  readonly queueMetrics: QueueMetricsProvider = this.#partMetrics.queues;
  /** Creates the metrics of the controller with the given name. */
  readonly controllerMetrics: ManagerMetrics["controllers"] = this.#partMetrics.controllers;
  /** Metrics for additional served certificates, such as webhook certificates. */
  readonly certificateMetrics: ManagerMetrics["certificates"] = this.#partMetrics.certificates;
  /** Default settings for this manager's controllers. */
  readonly controllerDefaults: ControllerDefaults;
  /**
   * Fence that allows writes while this process is the leader. Pass it to an additional `Cluster` to which only the
   * leader writes. `undefined` without leader election.
   */
  readonly fence: Fence | undefined;
  /** Holds the recorder of reconciles. Empty unless the `recorder` option or a tool sets it. */
  readonly recording: ReconcileRecording;
  /** Webhooks of this program; see `ManagerWebhooks`. */
  readonly webhooks: ManagerWebhooks;
  /** Shards of this replica, for controllers. `undefined` without the `sharding` option. */
  readonly shards: Shards | undefined;
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

  /** @throws {Error} if the options are inconsistent */
  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    this.controllerDefaults = options.controllerDefaults ?? {};
    this.logger = safeLogger(options.logger ?? defaultLogger());
    this.clock = options.clock ?? systemClock;
    const election = options.leaderElection;
    const fence = election ? new LeaderFence() : undefined;
    this.fence = fence;
    const { clock, logger } = this;
    const { gracefulShutdownTimeoutMs = 30_000 } = options;
    if (!(gracefulShutdownTimeoutMs >= 0))
      throw new RangeError(
        `gracefulShutdownTimeoutMs must not be negative, got ${gracefulShutdownTimeoutMs}; use Infinity to wait without limit`,
      );
    this.cluster = new Cluster({ ...options, logger, clock, fence, informerMetrics: this.#partMetrics.informers });
    this.#partMetrics.cache(this.cache);
    this.#lifecycle = new Lifecycle({
      clock,
      logger,
      gracefulShutdownTimeoutMs,
      lingerMs: () => this.webhooks.lingerMs,
      require: () => this.#requireSurroundings(),
      close: async (atOnce) => {
        await this.cluster.close(atOnce ? 0 : undefined);
        this.#stopCounting();
      },
    });
    const { apiReader: live } = this.unfenced;
    const requests = this.#partMetrics.requests(options.metrics?.requestDetails ?? false);
    const observed = [requests, refusalLog(logger)].map((observer) => live.connection.observe(observer));
    this.#stopCounting = () => {
      for (const stop of observed) stop();
    };
    const recorder = this.recorderFor("leader-election");
    this.#elector = election
      ? makeElector(election, {
          client: live.with({ retryUntil: new AbortController().signal }), // the Lease is released after everything else has ended
          events: (lease, event) => recorder.event(lease, event),
          metrics: this.#partMetrics.leader(),
          clock,
          logger,
          mayRelease: () => this.#lifecycle.hasEndedLeading,
        })
      : undefined;
    if (this.#elector) {
      fence?.useElector(this.#elector);
      this.#lifecycle.electBy(this.#elector);
    }
    this.shards = options.sharding && this.#newShards(options.sharding);
    const name = programName(options);
    this.recording = new ReconcileRecording({ clock, logger, name, recorder: options.recorder });
    if (options.recorder) this.add(this.recording);
    const { certificateMetrics } = this;
    this.#servers = new ManagerServers(options, this.metrics, { client: live, clock, logger, certificateMetrics });
    for (const server of this.#servers.all) this.add(server);
    this.#preflight = this.#newPreflight();
    const { informers: areChecked } = options.health ?? {};
    if (areChecked)
      this.addReadyCheck("informers", this.cache.readinessCheck(areChecked === true ? {} : { ...areChecked }));
    this.webhooks = this.#newWebhooks();
    this.add(this.cluster.cacheRunnable);
    const { shards } = this;
    if (shards) this.add(shards.runnable);
    if (shards) this.addReadyCheck("shards", () => shards.check(), { showsReason: true });
  }

  /**
   * Client that reads from the cache and writes to the API server. `caughtUp` waits until the cache shows a write. With leader election, a
   * write fails with `NotLeadingError` unless this process is the leader.
   */
  get client(): CachedReadWriter {
    return this.cluster.client;
  }

  /** Like {@link client}, but also reads from the API server. */
  get apiReader(): Client {
    return this.cluster.apiReader;
  }

  /**
   * `client` and `apiReader` without the fence, for writes by every replica, whether or not it is the leader. For example, a replica may
   * store its own certificate.
   */
  get unfenced(): ClusterClients {
    return this.cluster.unfenced;
  }

  /** Cache that `client` reads from. It runs with the manager. The first read of a kind starts an informer. */
  get cache(): InformerCache {
    return this.cluster.cache;
  }

  /** Maps kinds to resources and vice versa, as served by the API server. */
  get mapper(): RESTMapper {
    return this.cluster.apiReader.mapper;
  }

  /** Resolves when this process becomes the leader, or immediately without leader election. */
  get elected(): Promise<void> {
    return this.#lifecycle.elected;
  }

  /** Port of the metrics server. `undefined` until it is listening. */
  get metricsPort(): number | undefined {
    return this.#servers.metricsPort;
  }

  /** Port of the profiling server. `undefined` until it is listening. */
  get profilingPort(): number | undefined {
    return this.#servers.profilingPort;
  }

  /** Port of the health server. `undefined` until it is listening. */
  get healthPort(): number | undefined {
    return this.#servers.healthPort;
  }

  /** Returns the client for a group: {@link client} for the leader's work, otherwise the {@link unfenced} client. */
  clientFor(group: GroupName): CachedReadWriter {
    return group === "leaderElection" ? this.client : this.unfenced.client;
  }

  /** Returns a recorder that writes events in the name of `controller`, with the API in `eventsApi` or the given one. */
  recorderFor(controller: string, api?: ClusterOptions["eventsApi"]): EventRecorder {
    return this.cluster.recorderFor(controller, api);
  }

  /** Reserves a name, which must be unique in this manager. @throws {Error} if the name is in use */
  claimName(name: string): void {
    if (this.#names.has(name))
      throw new Error(`controller with name ${name} already exists. Controller names must be unique`);
    this.#names.add(name);
  }

  /** Adds a runnable. If the manager is running, the runnable is started immediately. @throws {Error} if the manager is stopping */
  add(runnable: Runnable): void {
    this.#lifecycle.add(this.#preflight?.guard(runnable) ?? runnable);
    this.#runnables.add(runnable);
  }

  /** The runnables, in the order in which they were added. */
  get runnables(): readonly Runnable[] {
    return [...this.#runnables];
  }

  /**
   * Declares a permission that cannot be derived from controllers and webhooks, for the program's roles.
   *
   * @throws {Error} if no verb is given, or a verb is a wildcard
   */
  needs(kind: Kind, verbs: readonly PermissionVerb[], options: PermissionOptions = {}): void {
    this.#permissions.push(permissionFor(kind, verbs, options));
  }

  /** Adds kinds that have neither a controller nor a webhook to the program's description. */
  defines(...kinds: readonly Pick<DefinedKind, keyof DefinedKind>[]): void {
    this.#defined.push(...kinds.map(describedResource));
  }

  /**
   * Describes the program: kinds, controllers, webhooks, permissions. This starts nothing and sends no requests, so no cluster is needed.
   *
   * @throws {Error} if an address for metrics, probes or profiles is not valid
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
   * Returns the current state of the runnables.
   *
   * @param only name of a runnable; only its state is returned, with details
   */
  inspect(only?: { readonly name: string } & InspectionDetail): readonly Inspection[] {
    return [...this.#runnables].flatMap((one) => {
      const { name = "", group = "leaderElection" } = one;
      return one.inspect && (!only || only.name === name) ? { name, group, state: one.inspect(only) } : [];
    });
  }

  /**
   * Carries out a user's action on one key of a runnable, such as a controller. The action affects only this process.
   *
   * @param name name of the runnable
   * @param by name of the user, for logs
   * @returns false, without effect, if no runnable with that name can carry out the action
   */
  control(name: string, action: KeyAction, key: string, by: string): boolean {
    for (const one of this.#runnables) if (one.name === name && one.control?.(action, key, by)) return true;
    return false;
  }

  /** This process's leadership, and the last known leader. Without leader election, this process is the leader. */
  get leadership(): { readonly isElected: boolean; readonly leads: boolean; readonly leader: string } {
    const elector = this.#elector;
    return { isElected: elector !== undefined, leads: elector?.leads ?? true, leader: elector?.leader ?? "" };
  }

  /** Adds a check to `/healthz`. @throws {Error} if a check of this name exists */
  addHealthCheck(name: string, check: HealthCheck, options?: HealthCheckOptions): void {
    this.#servers.health.add(name, check, options);
  }

  /** Adds a check to `/readyz`. @throws {Error} if a check of this name exists */
  addReadyCheck(name: string, check: HealthCheck, options?: HealthCheckOptions): void {
    this.#servers.ready.add(name, check, options);
  }

  /** Serves another path on the metrics server, with the same authentication. @throws {Error} if the path is in use */
  addMetricsHandler(path: string, handler: HttpHandler): void {
    this.#servers.addMetricsHandler(path, handler);
  }

  /**
   * Runs everything until the signal aborts, then stops it gracefully.
   *
   * When leadership is lost, the signals of the leader's work abort before control returns to the event loop, and `run` ends without
   * waiting for that work.
   *
   * The manager is published on the `kubewright.manager.run` channel of `node:diagnostics_channel`.
   *
   * @throws the error of a runnable, an error if runnables did not end in time, or `NotLeadingError` if leadership was
   *   lost before the leader's work had ended
   */
  run(signal: AbortSignal): Promise<void> {
    const running = this.#lifecycle.run(signal);
    runs.publish(this);
    return running;
  }

  /** Returns the descriptions of all runnables, including a webhook server that is not run. */
  #described(): RunnableDescription[] {
    const { server } = this.webhooks;
    const all = new Set([...this.#runnables, ...(server ? [server] : [])]);
    return [...all].flatMap((one) => one.describe?.() ?? []);
  }

  /**
   * Checks required settings from the environment that have not been read yet.
   *
   * @throws {Error} with the missing setting and the searched locations
   */
  #requireSurroundings(): void {
    void this.unfenced.apiReader.connection.settings;
    const { leaderElection, sharding } = this.#options;
    if (leaderElection) leaseNamespace(leaderElection);
    if (sharding && !(sharding.namespace ?? leaderElection?.namespace)) namespaceOfThisPod("sharding");
  }

  #newShards(sharding: ShardingOptions): Shards {
    const { clock, logger, cluster } = this;
    const dividesCache = sharding.shardBy === "namespace" && !this.#options.cache;
    if (dividesCache) cluster.cache.keepOnly({ has: () => false, extent: "none" });
    return new Shards(sharding, this.#options.leaderElection, {
      client: cluster.unfenced.apiReader.with({ retryUntil: new AbortController().signal }), // released after everything else has ended
      metrics: this.#partMetrics.shards(),
      onNamespaces: (namespaces) => {
        if (dividesCache) cluster.cache.keepOnly(namespaces);
      },
      clock,
      logger,
      fenced: (fence) => cluster.fencedClient(fence),
    });
  }

  #newPreflight(): Preflight | undefined {
    const { preflight: asked = false } = this.#options;
    if (asked === false) return undefined;
    const { clock, logger } = this;
    const { apiReader: client } = this.unfenced;
    const options = asked === true ? {} : asked;
    const preflight = new Preflight({ ...options, client, clock, logger, describe: () => this.describe() });
    this.#servers.ready.add("permissions", () => preflight.check(), { showsReason: true });
    this.add(preflight.runnable);
    return preflight;
  }

  #newWebhooks(): ManagerWebhooks {
    const { server: _server, disabled: _disabled, lingerMs: _lingerMs, ...listen } = this.#options.webhooks ?? {};
    const { clock, logger } = this;
    return new ManagerWebhooks(this.#options.webhooks ?? {}, {
      serverOptions: () => {
        const metrics = this.#partMetrics.webhooks();
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
