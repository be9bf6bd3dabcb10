import type { KubeObject } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import type { Connection, ConnectionSettings } from "@kubewright/client";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { enqueueRequestsFromMapFunc, funcSource } from "@kubewright/controller";
import { type Logger, silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions, type MetricsOptions, ping, type Runnable } from "@kubewright/manager";
import { CniInterface } from "../api/cni-interface.ts";
import { CnfScope, ownNamespace } from "../cnf/cnf-scope.ts";
import { type CnfConnectionOptions, type CnfTimeouts, connectTo } from "../cnf/connect.ts";
import type { EndpointDefaults } from "../cnf/endpoint.ts";
import { addIndexes } from "../cnf/indexes.ts";
import { KeptSecrets, SecretMetadata, withoutContents } from "../cnf/kept-secrets.ts";
import { Patrol } from "../cnf/patrol.ts";
import type { SessionOptions } from "../cnf/session.ts";
import { SessionPool } from "../cnf/session-pool.ts";
import {
  CniInterfaceReconciler,
  type CniInterfaceReconcilerOptions,
} from "../cni-interface/cni-interface-reconciler.ts";
import { interfaceMatters, interfacesOfPod } from "../cni-interface/triggers.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { OperatorSight } from "../panels/sight.ts";
import { Names } from "../resolve/names.ts";
import type { Resolve } from "../resolve/resolve.ts";
import { rulesSelecting } from "../rules/application-pods.ts";
import { PodFailures } from "../rules/pod-failures.ts";
import { RuleReconciler } from "../rules/rule-reconciler.ts";
import {
  applicationPodMatters,
  cnfPodMatters,
  comesOrGoes,
  deploymentMatters,
  ruleMatters,
  rulesOfPod,
  rulesOfSamePurpose,
  rulesOfSecret,
  secretMatters,
} from "../rules/triggers.ts";
import { WaitingRoom } from "../rules/waiting-room.ts";
import { addSecretIndexes, rulesReferring } from "../secrets/triggers.ts";
import { secretsOfPod } from "../status/secrets-of-pod.ts";
import { CnfNews } from "../tell/cnf-news.ts";
import type { DriftPolicy } from "../tell/drift-policy.ts";
import { Herald } from "../tell/herald.ts";
import { TunnelLog } from "../tell/tunnel-log.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { webhookName } from "../webhooks/webhooks.ts";
import { addCompositeControllers } from "./composite-controllers.ts";
import { Definitions, type DefinitionsOptions, nameOf as definitionName, watchErrorLog } from "./definitions.ts";
import { driftMetrics } from "./drift-metrics.ts";
import { Measurements } from "./measurements.ts";
import { declareNeeds } from "./needs.ts";
import { ruleSecrets } from "./rule-secrets.ts";
import { addStatusPoll } from "./status-poll.ts";
import { addWebhooks, type WebhookSettings, webhookOptions } from "./webhook-server.ts";

/** How the operator runs; every field has a default. Its program has most of these as flags. */
export interface OperatorOptions {
  /** Default: the cluster that kubectl would talk to. */
  readonly connection?: Connection | ConnectionSettings;
  /** Where metrics are served, `"0"` for nowhere. Default `":8080"`. */
  readonly metricsBindAddress?: string;
  /** Serves metrics over TLS, with the pair in a folder (`tls.crt`, `tls.key`) or one of this process. Default: plain HTTP. */
  readonly metricsTls?: NonNullable<MetricsOptions["tls"]>;
  /** Default: no webhooks are served. */
  readonly webhooks?: WebhookSettings;
  /** Where `/healthz` and `/readyz` are served, `"0"` for nowhere. Default `"0"`. */
  readonly healthProbeBindAddress?: string;
  /** Work only while this process holds the Lease `controller-leader-election-helper`. Default false. */
  readonly leaderElect?: boolean;
  /** Where the Lease is. Default: the namespace of this pod. */
  readonly leaderElectionNamespace?: string;
  /** Between two checks of the CNFs. Default 30,000 ms. */
  readonly checkIntervalMs?: number;
  /** Where CNFs answer, unless their pods say otherwise. Default https, on its own port. */
  readonly cnf?: EndpointDefaults;
  /**
   * Which CNFs a resource may configure, by their namespaces: `"same"` as its own, `"*"` any, or those of a list (`"a,b"`). A CNF is
   * sent the keys of the resources that name its purpose, so these are the namespaces whose Deployments are trusted with them.
   * Default `"same"`.
   */
  readonly cnfNamespaces?: string | readonly string[];
  /** How long a CNF may take. Default: 5 s to connect, 30 s for a request, 60 s for a restart; 4 MiB of an answer. */
  readonly cnfTimeouts?: CnfTimeouts;
  /** Makes what carries the requests to a CNF, for who has no network between. Default: HTTP(S). */
  readonly cnfTransport?: NonNullable<CnfConnectionOptions["transport"]>;
  /** What somebody else changed on a CNF is put right, or only told of. Default `"repair"`. */
  readonly drift?: DriftPolicy;
  /** Where the CNFStatus `cnf-status` is. Default `sdewan-system`. */
  readonly statusNamespace?: string;
  /** Where the names that composites have get their addresses from. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** How changes of a CNF are gathered. */
  readonly session?: SessionOptions;
  /** Told of the manager before it runs, for what else it is to serve, and of what the operator knows, for who shows it. */
  readonly prepare?: (manager: Manager, sight: OperatorSight) => void;
  /** Default: silent. */
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/**
 * So many resources of a kind are worked on at a time. They mostly wait for each other: the changes of a CNF are gathered, so
 * the number bounds how many are written together.
 */
const workers = 400;

/** Nothing that the operator does takes longer to end once it is told to. The grace period of its pod is longer. */
export const shutdownMs = 10_000;

/**
 * Runs the operator until the signal aborts.
 *
 * @throws {Error} if `cnfNamespaces` is not what it may be
 * @throws {KubeConfigError} if there is no connection to be found
 * @throws what ended it before its time, such as an address that is taken or a lost Lease
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const manager = new Manager(managerOptions(options));
  const { pool, definitions, sight, work } = setupOperator(manager, options);
  manager.add(onceDefined(manager, definitions, work));
  options.prepare?.(manager, sight);
  // Reconciles under way wait for their CNFs; the manager waits for them.
  const close = (): void => void pool.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    await manager.run(signal);
  } finally {
    signal.removeEventListener("abort", close);
    await pool.close();
  }
}

/** What a manager of {@link managerOptions} was given of the operator. */
interface SetUp {
  readonly pool: SessionPool;
  readonly definitions: Definitions;
  readonly sight: OperatorSight;
  /** Adds the controllers and all else that needs the operator's kinds to be served. */
  readonly work: () => void;
}

/**
 * Gives a manager of {@link managerOptions} all of the operator but its work, which may begin once its kinds are served.
 *
 * @throws {Error} if `cnfNamespaces` is not what it may be
 */
export function setupOperator(manager: Manager, options: OperatorOptions): SetUp {
  const {
    logger = silentLogger,
    clock = systemClock,
    checkIntervalMs = 30_000,
    statusNamespace = "sdewan-system",
    drift = "repair",
  } = options;
  const scope = CnfScope.from(options.cnfNamespaces ?? ownNamespace.text);
  declareNeeds(manager);
  addWebhooks(manager, options.webhooks);
  manager.cache.configure(SecretMetadata, {
    transform: withoutContents,
    ...(scope.namespaces ? { namespaces: scope.namespaces } : {}),
  });
  addIndexes(manager.cache, ruleKinds);
  addSecretIndexes(manager.cache, ruleKinds);
  const kept = new KeptSecrets({ live: manager.apiReader, clock });
  const secrets = ruleSecrets(manager, kept);
  const endpoint: EndpointDefaults = options.cnf ?? { scheme: "https" };
  const measurements = new Measurements(manager, scope);
  const herald = new Herald(manager.recorderFor("sdewan-operator"));
  const tunnels = new TunnelLog();
  const failures = new PodFailures(clock);
  const news = new CnfNews({ reader: manager.client, herald, scope, log: tunnels, clock });
  const waitingRoom = new WaitingRoom();
  const call = waitingRoom.call.bind(waitingRoom);
  const pool = new SessionPool({
    reader: manager.client,
    connect: (endpoint, pod) =>
      measurements.metered(connectTo(endpoint, logger.child({ cnf: endpoint.url }), connectionOptions(options)), pod),
    endpoint,
    secrets: kept,
    logger,
    session: { clock, missing: call, ...options.session },
    restarted: (pod) => news.restarted(pod),
  });
  const names = new Names({ clock, ...(options.resolve ? { resolve: options.resolve } : {}) });
  const definitions = definitionsOf(manager, { intervalMs: checkIntervalMs, clock, logger });
  const rules = {
    pool,
    waitingRoom,
    scope,
    secrets,
    drift,
    driftMetrics: driftMetrics(manager.metrics),
    herald,
    failures,
    clock,
  };
  const sight: OperatorSight = {
    reader: manager.cache,
    clock,
    scope,
    sessions: () => pool.sessions,
    recordOf: (uid) => measurements.recordOf(uid),
    tunnels,
    failures,
    secretsOfPod: (pod) => secretsOfPod(manager.cache, ruleKinds, endpoint, pod, secrets, kept),
    secretsOf: (kind, rule) => secrets.of(kind, rule),
    leadership: () => manager.leadership,
  };
  const work = (): void => {
    for (const kind of ruleKinds) addRuleController(manager, { kind, kinds: ruleKinds, ...rules });
    addInterfaceController(manager, { pool, checkIntervalMs, scope, herald, clock });
    addCompositeControllers(manager, { names, endpoint, scope, checkIntervalMs, herald, clock });
    const intervalMs = checkIntervalMs;
    addStatusPoll(manager, {
      pool,
      scope,
      secrets,
      kept,
      namespace: statusNamespace,
      intervalMs,
      endpoint,
      logger,
      news,
    });
    const onDrift = measurements.drifted.bind(measurements);
    manager.add(new Patrol({ pool, reader: manager.client, intervalMs, call, onDrift, clock, logger }));
    measurements.begin(pool);
  };
  manager.add(definitions);
  addChecks(manager, definitions);
  return { pool, definitions, sight, work };
}

const connectionOptions = ({ cnfTimeouts, cnfTransport }: OperatorOptions): CnfConnectionOptions => ({
  ...cnfTimeouts,
  ...(cnfTransport ? { transport: cnfTransport } : {}),
});

const coreKinds = [Deployment, ReplicaSet, Pod, SecretMetadata];

function definitionsOf(manager: Manager, options: Pick<DefinitionsOptions, "intervalMs" | "clock" | "logger">) {
  const { discovery } = manager.apiReader;
  const served = async (): Promise<ReadonlySet<string>> => {
    discovery.invalidate();
    const resources = await discovery.resources();
    return new Set(resources.map(({ gvr }) => `${gvr.group}/${gvr.version} ${gvr.resource}`));
  };
  return new Definitions({ kinds: apiKinds, served, ...options });
}

/** Begins the work, and in every replica the watches for it, once the cluster knows all kinds that it is about. */
function onceDefined(manager: Manager, { complete }: Definitions, work: () => void): Runnable {
  return {
    group: "others",
    run: async (signal) => {
      const stopped = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([complete, stopped]);
      if (signal.aborted) return;
      for (const kind of [...apiKinds, ...coreKinds]) manager.cache.getInformer<KubeObject>(kind);
      work();
    },
  };
}

/** Ready is who knows all there is to know; each kind has a check of its own, so that an answer names what is missing. */
function addChecks(manager: Manager, definitions: Definitions): void {
  manager.addHealthCheck("ping", ping);
  manager.addReadyCheck("ping", ping);
  for (const kind of apiKinds) manager.addReadyCheck(definitionName(kind), () => definitions.check(kind));
  let isOpen = false;
  definitions.complete.then(() => {
    isOpen = true;
  });
  for (const kind of [...apiKinds, ...coreKinds]) {
    const name = [kind.plural ?? kind.kind, kind.group].filter(Boolean).join(".");
    manager.addReadyCheck(`cache-${name}`, () => {
      if (!isOpen || !manager.cache.getInformer<KubeObject>(kind).hasSynced)
        throw new Error(`the cache of ${name} has not synced`);
    });
  }
}

/** How the operator's manager is made. */
export function managerOptions(options: OperatorOptions): ManagerOptions {
  const { connection, leaderElect, leaderElectionNamespace: namespace, metricsBindAddress = ":8080" } = options;
  const { logger = silentLogger, clock = systemClock } = options;
  const lease = { id: "controller-leader-election-helper", releaseOnCancel: true };
  return {
    name: webhookName,
    ...webhookOptions(options.webhooks),
    ...(connection ? { connection } : {}),
    ...(leaderElect ? { leaderElection: { ...lease, ...(namespace ? { namespace } : {}) } } : {}),
    metrics: {
      bindAddress: metricsBindAddress,
      authenticate: !isLoopback(metricsBindAddress),
      ...(options.metricsTls ? { tls: options.metricsTls } : {}),
    },
    health: { bindAddress: options.healthProbeBindAddress ?? "0" },
    cacheOptions: { onError: watchErrorLog(logger) },
    gracefulShutdownTimeoutMs: shutdownMs,
    fieldOwner: "sdewan-operator",
    logger,
    clock,
  };
}

function addRuleController(manager: Manager, options: ConstructorParameters<typeof RuleReconciler>[0]): void {
  const { kind, waitingRoom, scope } = options;
  const samePurpose = rulesOfSamePurpose(kind, scope);
  const builder = controllerManagedBy(manager)
    .for(kind.kind, { predicates: [ruleMatters] })
    .watches(Deployment, samePurpose, { predicates: [deploymentMatters] })
    .watches(ReplicaSet, samePurpose, { predicates: [comesOrGoes] })
    .watches(Pod, rulesOfPod(kind, scope), { predicates: [cnfPodMatters] })
    .watches(SecretMetadata, rulesOfSecret(kind, scope), { predicates: [secretMatters] })
    .watchesSource(waiting(kind, waitingRoom))
    .withOptions({ maxConcurrentReconciles: workers });
  if (kind.secretFields.length > 0)
    builder.watches(SecretMetadata, rulesReferring(kind), { predicates: [secretMatters] });
  if (kind.podsOf) builder.watches(Pod, rulesSelecting(kind), { predicates: [applicationPodMatters] });
  builder.complete(new RuleReconciler(options).reconcile);
}

const waiting = ({ kind }: CnfKind, room: WaitingRoom) =>
  funcSource(({ queue }, signal) => room.listen(kind.kind, (key) => queue.add(key), signal), `${kind.kind} waiting`);

function addInterfaceController(manager: Manager, options: CniInterfaceReconcilerOptions): void {
  controllerManagedBy(manager)
    .for(CniInterface, { predicates: [ruleMatters] })
    .watches(Pod, enqueueRequestsFromMapFunc<Pod>(interfacesOfPod), { predicates: [interfaceMatters] })
    .withOptions({ maxConcurrentReconciles: 16 })
    .complete(new CniInterfaceReconciler(options).reconcile);
}

const isLoopback = (address: string): boolean => /^(127\.|localhost:|\[::1\])/.test(address);
