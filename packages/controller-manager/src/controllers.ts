import { type DeepReadonly, jsonEqual, type Kind, keyOf } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { Client, type ConnectionSettings } from "@kubewright/client";
import { ConfigMap, Node, PersistentVolumeClaim, Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { type ObjectEvent, objectMatches, type Predicate } from "@kubewright/controller";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { selectControllers } from "./controller-names.ts";
import { KindMonitor } from "./discovery/kind-monitor.ts";
import { logWatchFailure } from "./discovery/watch-failures.ts";
import { type AddressPool, loopbackAddresses, unreachableAddresses } from "./node/address-pool.ts";
import type { ImageRegistry } from "./node/image-registry.ts";
import { NodeAgent } from "./node/node-agent.ts";
import { checkReach } from "./node/process/reach.ts";
import { cachedWhole } from "./parts/cached-whole.ts";
import type { ControllerParts, ServiceAccountTokenIssuer, SigningAuthority } from "./parts/controller-parts.ts";
import { hasFinished, isUnscheduled, schedulingReconciler, unscheduledPods } from "./scheduling/scheduler.ts";
import { addSimulatedProvisioner } from "./volume/simulated-provisioner.ts";

/**
 * Options for the control plane's controllers and simulated nodes, and for signing certificates and tokens.
 *
 * @see kubernetes cmd/kube-controller-manager/app/options
 */
export interface ControllersOptions {
  /** Credentials with which the controllers access the API server. */
  readonly connection: ConnectionSettings;
  /** Images that the simulated nodes can start, with their runners. A container with any other image is simulated, and is usually idle. */
  readonly images?: ImageRegistry | undefined;
  /** Name and labels of the first simulated node. Default: `kubewright-node`, labeled as a control-plane node. */
  readonly node?:
    | { readonly name?: string | undefined; readonly labels?: Readonly<Record<string, string>> | undefined }
    | undefined;
  /** Number of simulated nodes. Default 1. The names of additional nodes end in `-2`, `-3` and so on. */
  readonly nodes?: number | undefined;
  /** Pool from which pods get their addresses. Default: addresses from 127.0.0.0/8. */
  readonly addresses?: AddressPool | undefined;
  /**
   * Controllers to run, with the names and syntax of kube-controller-manager's `--controllers` flag: `*` selects all controllers, and
   * `-name` disables one. Default `["*"]`.
   */
  readonly controllers?: readonly string[] | undefined;
  /** CA that signs approved CertificateSigningRequests. By default, requests are not signed. */
  readonly signingAuthority?: SigningAuthority | undefined;
  /** Creates the tokens for Secrets of type `kubernetes.io/service-account-token`. By default, none are created. */
  readonly issueServiceAccountToken?: ServiceAccountTokenIssuer | undefined;
  /** Logger. Default: no logging. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** The development control plane's controllers, running against an API server. */
export interface RunningControllers extends AsyncDisposable {
  /** The first simulated node. */
  readonly node: NodeAgent;
  /** All simulated nodes. */
  readonly nodes: readonly NodeAgent[];
  /** Settles when the controllers have stopped. Rejects if an error stopped them. */
  readonly ended: Promise<void>;
  /** Stops the controllers and containers. */
  stop(): Promise<void>;
}

/**
 * Starts the controllers against any API server: the embedded one, or a real kube-apiserver without other controllers.
 *
 * @throws {Error} if a controller name is unknown, if images run as processes and the server is not on loopback, or if
 *   discovery fails
 *
 * @see kubernetes cmd/kube-controller-manager
 */
export async function startControllers(options: ControllersOptions): Promise<RunningControllers> {
  const { connection, clock = systemClock } = options;
  const logger = safeLogger(options.logger ?? silentLogger);
  checkReach(options.images ?? {}, new URL(connection.server).hostname);
  const selected = selectControllers(options.controllers ?? ["*"]);
  const fieldOwner = "kube-controller-manager";
  // As in upstream, the controllers also watch deprecated kinds. Users cannot act on the warnings about them.
  const client = new Client({ connection, logger, clock, fieldOwner, onWarning: () => {} });
  const manager = new Manager({
    client,
    logger,
    clock,
    metrics: { bindAddress: "0" },
    cacheOptions: { onError: logWatchFailure(logger) },
    fieldOwner,
    eventsApi: "v1",
  });
  const [node, ...others] = await nodeAgents(manager, options, clock);
  manager.cache.configure(ConfigMap, { fields: { "metadata.name": "kube-root-ca.crt" } });
  const parts = partsOf(manager, options, clock, await servedKinds(manager));
  for (const add of selected) add(parts);
  addNodes(parts, [node, ...others]);
  manager.add(parts.monitor);
  const stop = new AbortController();
  const ended = manager.run(stop.signal).finally(() => client.close());
  ended.catch((err: unknown) => logger.error({ err }, "the controllers ended"));
  const end = async (): Promise<void> => {
    stop.abort();
    await ended.catch(() => {}); // reported to the caller through `ended`
  };
  return { node, nodes: [node, ...others], ended, stop: end, [Symbol.asyncDispose]: end };
}

/** Creates the simulated nodes. The pods of all nodes get their addresses from the same pools. */
async function nodeAgents(
  manager: Manager,
  { node, nodes = 1, images = {}, addresses, connection }: ControllersOptions,
  clock: Clock,
): Promise<readonly [NodeAgent, ...NodeAgent[]]> {
  const name = node?.name ?? "kubewright-node";
  const labels = node?.labels ?? {
    "node-role.kubernetes.io/master": "",
    "node-role.kubernetes.io/control-plane": "",
  };
  const shared = {
    client: manager.apiReader,
    images,
    apiServer: connection.server,
    addresses: addresses ?? (await loopbackAddresses()),
    unreachable: unreachableAddresses(),
    clock,
    log: manager.logger.child({ controller: "node" }),
    recorder: manager.recorderFor("kubelet"),
  };
  const others = Array.from({ length: Math.max(0, nodes - 1) }, (_, i) => ({
    name: `${name}-${i + 2}`,
    labels: {},
    images: Object.keys(images),
    ip: `127.0.0.${i + 2}`,
  }));
  return [
    new NodeAgent({ ...shared, node: { name, labels, images: Object.keys(images), ip: "127.0.0.1" } }),
    ...others.map((each) => new NodeAgent({ ...shared, node: each })),
  ];
}

const nameOf = ({ group, version, kind }: Pick<Kind, "group" | "version" | "kind">): string =>
  `${group}/${version} ${kind}`;

async function servedKinds({ apiReader }: Manager): Promise<ReadonlySet<string>> {
  return new Set((await apiReader.discovery.resources()).map(({ gvk }) => nameOf(gvk)));
}

function partsOf(
  manager: Manager,
  options: ControllersOptions,
  clock: Clock,
  served: ReadonlySet<string>,
): ControllerParts {
  const monitor = new KindMonitor({
    live: manager.apiReader,
    cache: manager.cache,
    cachedWhole,
    clock,
    log: manager.logger.child({ controller: "kind-monitor" }),
  });
  return {
    manager,
    clock,
    monitor,
    caData: options.connection.caData,
    signingAuthority: options.signingAuthority,
    issueToken: options.issueServiceAccountToken,
    serves: (kind) => served.has(nameOf(kind)),
    controller: (name, workers = 5) =>
      controllerManagedBy(manager).named(name).withOptions({ maxConcurrentReconciles: workers }),
  };
}

/** True if an update changed more than the node's heartbeat. */
const nodeChanged: Predicate<Node> = (event) =>
  event.type !== "update" || !jsonEqual(offerOf(event.old), offerOf(event.object));

const offerOf = ({ metadata, spec, status }: DeepReadonly<Node>): unknown =>
  JSON.parse(JSON.stringify([metadata.labels, spec, status?.allocatable]));

/** Adds the scheduler, the storage controllers and the nodes' kubelets. */
function addNodes(parts: ControllerParts, nodes: readonly NodeAgent[]): void {
  const { manager, clock, controller } = parts;
  addSimulatedProvisioner(parts);
  const makesRoom = (event: ObjectEvent<Pod>): boolean =>
    event.type === "delete" || (event.type === "update" && hasFinished(event.object) && !hasFinished(event.old));
  controller("default-scheduler")
    .for(Pod, { predicates: [objectMatches<Pod>(isUnscheduled)] })
    .watches(Pod, unscheduledPods, { predicates: [makesRoom] })
    .watches(Node, unscheduledPods, { predicates: [nodeChanged] })
    .watches(PersistentVolumeClaim, unscheduledPods)
    .complete(schedulingReconciler(clock));
  controller("kubelet", 16)
    .watches(Pod, (event, enqueue) => enqueue(keyOf(event.object)), {
      predicates: [objectMatches<Pod>((pod) => nodes.some((node) => node.isOurs(pod)))],
    })
    .complete(async (key, context) => {
      const results = [];
      for (const node of nodes) results.push(await node.reconcile(key, context));
      return results.find((result) => result !== undefined);
    });
  for (const node of nodes) manager.add(node);
}
