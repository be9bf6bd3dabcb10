import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember, setOwnMember } from "@kubewright/apimachinery";
import type { Container, PodSpec } from "../kinds/pod/pod-types.ts";
import { addResources, maxResources, parseResourceList, type ResourceList } from "./resource-list.ts";

/** What a pod can ask for itself, beside its containers. */
const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");

/** Whether a pod asks for anything itself. @see component-helpers resource IsPodLevelResourcesSet */
export const saysResources = ({ resources }: DeepReadonly<PodSpec>): boolean =>
  [resources?.requests, resources?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevel));

/**
 * What a pod asks for (`requests`) or may use (`limits`) in all: the sum of its containers and sidecars, or the greatest need while
 * its init containers run, whichever is more; what the pod says itself stands above that.
 *
 * @see component-helpers resource PodRequests, PodLimits
 */
export function podResources(spec: DeepReadonly<PodSpec>, of: "requests" | "limits"): ResourceList {
  const amountsOf = ({ resources }: DeepReadonly<Container>): ResourceList => parseResourceList(resources?.[of]);
  let sum: ResourceList = {};
  for (const container of spec.containers ?? []) sum = addResources(sum, amountsOf(container));
  let sidecars: ResourceList = {};
  let highest: ResourceList = {};
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container);
    const isSidecar = container.restartPolicy === "Always";
    if (isSidecar) {
      sum = addResources(sum, own);
      sidecars = addResources(sidecars, own);
    }
    highest = maxResources(highest, isSidecar ? sidecars : addResources(own, sidecars));
  }
  const total = { ...maxResources(sum, highest) };
  for (const [name, amount] of Object.entries(parseResourceList(spec.resources?.[of])))
    if (isPodLevel(name)) setOwnMember(total, name, amount);
  return total;
}

/** The same with the overhead of the pod's runtime, which adds to a limit only where there is one. */
export function podResourcesWithOverhead(spec: DeepReadonly<PodSpec>, of: "requests" | "limits"): ResourceList {
  const total = podResources(spec, of);
  const overhead = parseResourceList(spec.overhead as Record<string, string> | undefined);
  const counted = Object.entries(overhead).filter(
    ([name]) => of === "requests" || ownMember(total, name)?.isZero === false,
  );
  return addResources(total, Object.fromEntries(counted));
}
