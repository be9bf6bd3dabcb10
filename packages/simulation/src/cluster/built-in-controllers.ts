import type { AddressPool, ControllersOptions } from "@kubewright/controller-manager";
import { actorClock } from "../time/actor-clock.ts";
import { Random } from "../time/random.ts";
import { currentActor } from "../time/virtual-time.ts";
import type { Handle } from "./api-call.ts";
import { builtIn, type Cluster } from "./cluster.ts";

const controllerManager = { name: "system:kube-controller-manager", groups: ["system:masters"] };
const server = "https://simulation.invalid";
const startMs = 60_000;
const nodeName = "kubewright-node";
const loopback: AddressPool = { take: () => "127.0.0.1", giveBack: () => {} };
/**
 * Time that each of the controllers' deletions and other writes takes, in milliseconds. Otherwise, a program that recreates an object whose
 * deletion it does not see, and the garbage collector that deletes the object again, would never let the time advance.
 */
const [deletionMs, writeMs] = [1_000, 20] as const;

/** Controllers for a copy of a cluster: those that roll out workloads. Others would act on objects that did not change. */
const workloadControllers: readonly string[] = [
  "deployment-controller",
  "replicaset-controller",
  "replicationcontroller-controller",
  "statefulset-controller",
  "job-controller",
  "endpoints-controller",
  "endpointslice-controller",
  "disruption-controller",
  "persistentvolume-binder-controller",
  "ephemeral-volume-controller",
  "clusterrole-aggregation-controller",
];

/** Options for built-in controllers that run on a copy of a cluster. */
export const inCopy = (handle: Handle): ControllersOptions => ({
  connection: { server, handle: withOwnNode(handle) },
  controllers: workloadControllers,
  node: { name: nodeName },
  addresses: loopback,
});

/**
 * Starts built-in controllers and a simulated node, which runs the pods that are scheduled to it.
 *
 * @param seed seed for the controllers' random numbers
 * @param isCopy true for a copy of a live cluster: then only the controllers that roll out workloads run, and they see
 * only the simulated node
 * @returns a function that stops the controllers
 */
export async function startBuiltInControllers(
  cluster: Cluster,
  seed: string,
  { isCopy = false } = {},
): Promise<() => Promise<void>> {
  const { time, users } = cluster;
  // Most simulations and plans do without these controllers, which take long to load.
  const { startControllers } = await time.outside(currentActor.exit(() => import("@kubewright/controller-manager")));
  const actor = { ...users, name: builtIn, random: new Random(seed), isDead: false };
  const direct = cluster.handleAs(controllerManager, actor);
  const handle: Handle = async (request) => {
    const ms = request.method === "DELETE" ? deletionMs : writeMs;
    if (request.method !== "GET") await new Promise<void>((resolve) => void time.after(ms, actor, resolve));
    return direct(request);
  };
  const starting = currentActor.run(actor, () =>
    startControllers({
      ...(isCopy ? inCopy(handle) : { connection: { server, handle }, addresses: loopback }),
      clock: actorClock(),
    }),
  );
  const running = await time.until(starting, startMs, "the start of the built-in controllers");
  return async () => {
    const stopping = currentActor.run(actor, () => running.stop());
    await time.until(stopping, startMs, "stopping the built-in controllers");
    actor.isDead = true;
    time.forget(actor);
  };
}

/** Hides all other nodes, because nothing would run the pods that are scheduled to them. */
const withOwnNode =
  (handle: Handle): Handle =>
  (request) => {
    const [route = "", query = ""] = request.path.split("?");
    if (route !== "/api/v1/nodes" || request.method !== "GET") return handle(request);
    return handle({ ...request, path: `${route}?fieldSelector=metadata.name%3D${nodeName}&${query}` });
  };
