import { hostname } from "node:os";
import { ignoreNotFound, isForbidden } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Deployment, Pod } from "@kubewright/client/kinds";

const templateHash = "pod-template-hash";

/**
 * Checks that the rollout of this process's Deployment has finished, and that all its pods, including terminating ones, have the same
 * template as this pod.
 *
 * @param name name of this process's pod
 * @returns true, or the reason why this is not the case
 */
export async function isOnlyRevision(
  client: Pick<Reader, "get" | "list">,
  namespace: string,
  signal: AbortSignal,
  name = process.env.POD_NAME ?? hostname(),
): Promise<true | string> {
  try {
    const own = await client.get(Pod, { namespace, name }, { signal }).catch(ignoreNotFound);
    const labels = own?.metadata.labels ?? {};
    const hash = labels[templateHash];
    if (!own || hash === undefined) return `pod ${namespace}/${name} does not belong to a Deployment`;
    const deployments = await client.list(Deployment, { namespace, signal });
    const mine = deployments.find(({ spec }) => {
      const selected = Object.entries(spec.selector.matchLabels ?? {});
      return selected.length > 0 && selected.every(([label, value]) => labels[label] === value);
    });
    if (!mine) return `no Deployment in ${namespace} selects pod ${name}`;
    const { metadata, spec, status } = mine;
    const wanted = spec.replicas ?? 1;
    const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
    if (!isSeen || status?.replicas !== wanted || status.updatedReplicas !== wanted)
      return `deployment ${namespace}/${metadata.name} is rolling out`;
    const pods = await client.list(Pod, { namespace, labels: { ...spec.selector.matchLabels }, signal });
    const other = pods.find((pod) => pod.metadata.labels?.[templateHash] !== hash);
    return other ? `pod ${namespace}/${other.metadata.name} has a different revision` : true;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
