import { joinKey, keyOf } from "@kubewright/apimachinery";
import { type ControllerBuilder, controllerManagedBy } from "@kubewright/builder";
import type { ConnectionSettings } from "@kubewright/client";
import { Deployment, Namespace, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { enqueueRequestsFromMapFunc, objectMatches } from "@kubewright/controller";
import { type Logger, silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { deploymentReconciler } from "./deployment/deployment-controller.ts";
import { GarbageCollection } from "./garbage-collection/garbage-collection.ts";
import { namespaceReconciler } from "./namespace/namespace-controller.ts";
import { type AddressPool, loopbackAddresses } from "./node/address-pool.ts";
import type { ImageRegistry } from "./node/image-registry.ts";
import { NodeAgent } from "./node/node-agent.ts";
import { isUnscheduled, schedulingReconciler } from "./node/scheduler.ts";
import { replicaSetReconciler } from "./replica-set/replica-set-controller.ts";
import { namespaceDefaultsReconciler } from "./service-account/namespace-defaults.ts";

export interface ControllersOptions {
  /** As the controllers are to be known to the API server. */
  readonly connection: ConnectionSettings;
  /** What the simulated node starts. Any image that is not in it runs as an idle container. */
  readonly images?: ImageRegistry;
  /** Name and labels of the simulated node. Default `kubewright-node`, labelled as a control-plane node. */
  readonly node?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  /** Where pods get their addresses. Default: out of 127.0.0.0/8. */
  readonly addresses?: AddressPool;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** The controllers of the development plane, running against an API server. */
export interface RunningControllers {
  readonly node: NodeAgent;
  /** Settles when they have ended; rejects with what ended them. */
  readonly ended: Promise<void>;
  /** Ends them, containers included. */
  stop(): Promise<void>;
}

/**
 * Starts the controllers against any API server: the embedded one, or a real kube-apiserver that has none of its own.
 *
 * @see kubernetes cmd/kube-controller-manager
 */
export async function startControllers(options: ControllersOptions): Promise<RunningControllers> {
  const { connection, logger = silentLogger, clock = systemClock } = options;
  const manager = new Manager({
    connection,
    logger,
    clock,
    metrics: { bindAddress: "0" },
    fieldOwner: "kubewright-controller-manager",
  });
  const node = new NodeAgent({
    client: manager.apiReader,
    node: {
      name: options.node?.name ?? "kubewright-node",
      labels: options.node?.labels ?? {
        "node-role.kubernetes.io/master": "",
        "node-role.kubernetes.io/control-plane": "",
      },
      ip: "127.0.0.1",
    },
    images: options.images ?? {},
    addresses: options.addresses ?? (await loopbackAddresses()),
    clock,
    log: logger.child({ controller: "node" }),
  });
  addControllers(manager, node, connection.caData, clock);
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  ended.catch((err: unknown) => logger.error({ err }, "the controllers ended"));
  return {
    node,
    ended,
    async stop() {
      stop.abort();
      await ended.catch(() => {}); // its owner was told through `ended`
    },
  };
}

function addControllers(manager: Manager, node: NodeAgent, caData: string | undefined, clock: Clock): void {
  const controller = (name: string, workers = 4): ControllerBuilder =>
    controllerManagedBy(manager).named(name).withOptions({ maxConcurrentReconciles: workers });
  controller("deployment")
    .for(Deployment)
    .owns(ReplicaSet)
    .watches(
      Pod,
      enqueueRequestsFromMapFunc<Pod>(async (pod, { client }) => {
        const sets = await client.list(ReplicaSet, { namespace: pod.metadata.namespace });
        const set = sets.find(({ metadata }) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
        const owner = set?.metadata.ownerReferences?.find((each) => each.controller && each.kind === "Deployment");
        return owner ? [joinKey(pod.metadata.namespace, owner.name)] : [];
      }),
      { predicates: [({ type }) => type === "delete"] },
    )
    .complete(deploymentReconciler(clock));
  controller("replicaset").for(ReplicaSet).owns(Pod).complete(replicaSetReconciler(clock));
  controller("namespace").for(Namespace).complete(namespaceReconciler(manager.apiReader));
  controller("namespace-defaults").for(Namespace).complete(namespaceDefaultsReconciler(caData));
  controller("scheduler")
    .for(Pod, { predicates: [objectMatches<Pod>(isUnscheduled)] })
    .complete(schedulingReconciler(clock));
  controller("node", 16)
    .watches(Pod, (event, enqueue) => enqueue(keyOf(event.object)), {
      predicates: [objectMatches<Pod>((pod) => node.isOurs(pod))],
    })
    .complete(node.reconcile);
  manager.add(node);
  manager.add(
    new GarbageCollection({
      live: manager.apiReader,
      cache: manager.cache,
      clock,
      log: manager.logger.child({ controller: "garbage-collector" }),
    }),
  );
}
