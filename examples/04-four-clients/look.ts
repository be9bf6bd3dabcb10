import { type Client, type Clock, controllerOf, keyOf, splitKey, systemClock } from "kubewright";
import { Pod, ReplicaSet } from "kubewright/kinds";

/** Which Deployment a pod is of: its controller is a ReplicaSet, and that one's is the Deployment. */
export async function deploymentOf(client: Client, podKey: string): Promise<string | undefined> {
  const pod = await client.get(Pod, podKey);
  const owner = controllerOf(pod);
  if (owner?.kind !== "ReplicaSet") return undefined;
  const { namespace } = splitKey(podKey);
  const replicaSet = await client.get(ReplicaSet, { namespace, name: owner.name });
  return controllerOf(replicaSet)?.name;
}

/** The keys (`namespace/name`) of pods with these labels on a node. Both are selected by the server; only labels are indexed there. */
export async function podsOn(client: Client, node: string, labels: string): Promise<string[]> {
  const pods = await client.list(Pod, { labels, fields: { "spec.nodeName": node } });
  return pods.map(keyOf).sort();
}

/** Does it at once, and again a while after it was done, until the signal aborts. @see apimachinery wait.UntilWithContext */
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
