import {
  type Client,
  type Clock,
  controllerOf,
  keyOf,
  splitKey,
  systemClock,
} from "kubewright";
import { Pod, ReplicaSet } from "kubewright/kinds";

/**
 * Returns the Deployment of a pod: the controller of the pod is a ReplicaSet,
 * whose controller is the Deployment.
 */
export async function deploymentOf(
  client: Client,
  podKey: string,
): Promise<string | undefined> {
  const pod = await client.get(Pod, podKey);
  const owner = controllerOf(pod);
  if (owner?.kind !== "ReplicaSet") return undefined;
  const { namespace } = splitKey(podKey);
  const replicaSet = await client.get(ReplicaSet, {
    namespace,
    name: owner.name,
  });
  return controllerOf(replicaSet)?.name;
}

/**
 * Returns the keys (`namespace/name`) of pods with these labels on a node. The
 * server filters by labels and node name.
 */
export async function podsOn(
  client: Client,
  node: string,
  labels: string,
): Promise<string[]> {
  const pods = await client.list(Pod, {
    labels,
    fields: { "spec.nodeName": node },
  });
  return pods.map(keyOf).sort();
}

/**
 * Runs a function immediately, and again after each pause, until the signal
 * aborts.
 *
 * @see apimachinery wait.UntilWithContext
 */
export async function until(
  signal: AbortSignal,
  periodMs: number,
  work: () => Promise<void>,
  clock: Clock = systemClock,
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await clock.sleep(periodMs, signal);
  }
}
