import { controllerManagedBy } from "@kubewright/builder";
import type { Connection, ConnectionSettings } from "@kubewright/client";
import { Deployment, Pod, ReplicaSet, Secret } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { enqueueRequestsFromMapFunc, funcSource } from "@kubewright/controller";
import { type Logger, silentLogger } from "@kubewright/log";
import { Manager, ping } from "@kubewright/manager";
import { CniInterface } from "./api/cni-interface.ts";
import { type CnfTimeouts, connectTo } from "./cnf/connect.ts";
import { caKey, type EndpointDefaults, passwordKey } from "./cnf/endpoint.ts";
import { Patrol } from "./cnf/patrol.ts";
import type { SessionOptions } from "./cnf/session.ts";
import { SessionPool } from "./cnf/session-pool.ts";
import { CniInterfaceReconciler } from "./cni-interface/cni-interface-reconciler.ts";
import { interfaceMatters, interfacesOfPod } from "./cni-interface/triggers.ts";
import type { CnfKind } from "./kinds/cnf-kind.ts";
import { ruleKinds } from "./kinds/rule-kinds.ts";
import { sdewanApplication } from "./kinds/sdewan-application.ts";
import { applicationsOfPod } from "./rules/application-pods.ts";
import { RuleReconciler } from "./rules/rule-reconciler.ts";
import {
  applicationPodMatters,
  cnfPodMatters,
  comesOrGoes,
  deploymentMatters,
  ruleMatters,
  rulesOfSamePurpose,
  rulesOfSecret,
  secretMatters,
} from "./rules/triggers.ts";
import { WaitingRoom } from "./rules/waiting-room.ts";

export interface OperatorOptions {
  /** Default: the cluster that kubectl would talk to. */
  readonly connection?: Connection | ConnectionSettings;
  /** Where metrics are served, `"0"` for nowhere. Default `":8080"`. */
  readonly metricsBindAddress?: string;
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
  readonly cnfTimeouts?: CnfTimeouts;
  /** How changes of a CNF are gathered. */
  readonly session?: SessionOptions;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/**
 * So many resources of a kind are worked on at a time. They mostly wait for each other: the changes of a CNF are gathered, so
 * the number bounds how many are written together.
 */
const workers = 400;

/** Nothing that the operator does takes longer to end once it is told to. */
const shutdownMs = 10_000;

/**
 * Runs the operator until the signal aborts.
 *
 * @throws {KubeConfigError} if there is no connection to be found
 * @throws what ended it before its time, such as an address that is taken or a lost Lease
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { logger = silentLogger, clock = systemClock, checkIntervalMs = 30_000 } = options;
  const manager = new Manager(managerOptions(options, logger, clock));
  manager.cache.configure(Secret, { transform: onlyCnfData });
  const pool = new SessionPool({
    reader: manager.client,
    connect: (endpoint) => connectTo(endpoint, logger.child({ cnf: endpoint.url }), options.cnfTimeouts),
    endpoint: options.cnf ?? { scheme: "https" },
    logger,
    session: { clock, ...options.session },
  });
  const waitingRoom = new WaitingRoom();
  for (const kind of ruleKinds) addRuleController(manager, { kind, kinds: ruleKinds, pool, waitingRoom, clock });
  addInterfaceController(manager, pool, checkIntervalMs);
  const call = waitingRoom.call.bind(waitingRoom);
  manager.add(new Patrol({ pool, reader: manager.client, intervalMs: checkIntervalMs, call, clock, logger }));
  manager.addHealthCheck("ping", ping);
  manager.addReadyCheck("ping", ping);
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

function managerOptions(options: OperatorOptions, logger: Logger, clock: Clock) {
  const { connection, leaderElect, leaderElectionNamespace: namespace, metricsBindAddress = ":8080" } = options;
  const lease = { id: "controller-leader-election-helper", releaseOnCancel: true };
  return {
    ...(connection ? { connection } : {}),
    ...(leaderElect ? { leaderElection: { ...lease, ...(namespace ? { namespace } : {}) } } : {}),
    metrics: { bindAddress: metricsBindAddress, authenticate: !isLoopback(metricsBindAddress) },
    health: { bindAddress: options.healthProbeBindAddress ?? "0" },
    gracefulShutdownTimeoutMs: shutdownMs,
    fieldOwner: "sdewan-operator",
    logger,
    clock,
  };
}

function addRuleController(manager: Manager, options: ConstructorParameters<typeof RuleReconciler>[0]): void {
  const { kind, waitingRoom } = options;
  const samePurpose = rulesOfSamePurpose(kind);
  const builder = controllerManagedBy(manager)
    .for(kind.kind, { predicates: [ruleMatters] })
    .watches(Deployment, samePurpose, { predicates: [deploymentMatters] })
    .watches(ReplicaSet, samePurpose, { predicates: [comesOrGoes] })
    .watches(Pod, samePurpose, { predicates: [cnfPodMatters] })
    .watches(Secret, rulesOfSecret(kind), { predicates: [secretMatters] })
    .watchesSource(waiting(kind, waitingRoom))
    .withOptions({ maxConcurrentReconciles: workers });
  if (kind.kind === sdewanApplication.kind)
    builder.watches(Pod, applicationsOfPod, { predicates: [applicationPodMatters] });
  builder.complete(new RuleReconciler(options).reconcile);
}

const waiting = ({ kind }: CnfKind, room: WaitingRoom) =>
  funcSource(({ queue }, signal) => room.listen(kind.kind, (key) => queue.add(key), signal), `${kind.kind} waiting`);

function addInterfaceController(manager: Manager, pool: SessionPool, checkIntervalMs: number): void {
  controllerManagedBy(manager)
    .for(CniInterface, { predicates: [ruleMatters] })
    .watches(Pod, enqueueRequestsFromMapFunc<Pod>(interfacesOfPod), { predicates: [interfaceMatters] })
    .withOptions({ maxConcurrentReconciles: 16 })
    .complete(new CniInterfaceReconciler({ pool, checkIntervalMs }).reconcile);
}

/** Of all Secrets that a cluster has, only what CNFs are reached by is kept in memory. */
function onlyCnfData(secret: Secret): Secret {
  const kept = Object.entries(secret.data ?? {}).filter(([key]) => key === passwordKey || key === caKey);
  return { ...secret, data: Object.fromEntries(kept) };
}

const isLoopback = (address: string): boolean => /^(127\.|localhost:|\[::1\])/.test(address);
