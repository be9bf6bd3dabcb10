import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember, setOwnMember } from "@kubewright/apimachinery";
import type { Container, ContainerStatus, PodSpec, PodStatus } from "./pod/pod-types.ts";
import { addResources, maxResources, parseResourceList, type ResourceList } from "./resource-list.ts";

/** Reports whether a resource can be requested for a pod as a whole, in addition to the requests of its containers. */
export const isPodLevel = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-");

/** Reports whether a pod has pod-level requests or limits. @see component-helpers resource IsPodLevelResourcesSet */
export const hasPodResources = ({ resources }: DeepReadonly<PodSpec>): boolean =>
  [resources?.requests, resources?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevel));

/**
 * Returns the total requests or limits of a pod. This is the sum for its containers and sidecars, or the maximum while
 * its init containers run, whichever is greater. Pod-level values override this total.
 *
 * @param status status with the containers' current and allocated amounts; these count if they exceed the amounts in
 * the specification
 *
 * @see component-helpers resource PodRequests, PodLimits
 */
export function podResources(
  spec: DeepReadonly<PodSpec>,
  of: "requests" | "limits",
  status: DeepReadonly<PodStatus> = {},
): ResourceList {
  const amountsOf = (container: DeepReadonly<Container>): ResourceList => effectiveAmounts(container, of, status);
  let sum: ResourceList = {};
  for (const container of spec.containers ?? []) sum = addResources(sum, amountsOf(container));
  let sidecars: ResourceList = {};
  let highest: ResourceList = {};
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === "Always";
    const own = isSidecar ? amountsOf(container) : parseResourceList(container.resources?.[of]);
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

/**
 * Returns the effective requests or limits of a container, which may exceed its specification while it is being
 * resized.
 *
 * @see component-helpers resource determineEffectiveRequests, determineEffectiveLimits
 */
function effectiveAmounts(
  { name, resources }: DeepReadonly<Container>,
  of: "requests" | "limits",
  { containerStatuses = [], initContainerStatuses = [], conditions = [] }: DeepReadonly<PodStatus>,
): ResourceList {
  const wanted = parseResourceList(resources?.[of]);
  const known: readonly DeepReadonly<ContainerStatus>[] = [...containerStatuses, ...initContainerStatuses];
  const running = known.findLast((each) => each.name === name);
  if (!running?.resources) return wanted;
  const used = parseResourceList(running.resources[of]);
  const had = of === "requests" ? maxResources(used, parseResourceList(running.allocatedResources)) : used;
  const isInfeasible = conditions.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
  return isInfeasible ? had : maxResources(wanted, had);
}

/**
 * Returns the total requests or limits of a pod, including its runtime's overhead. The overhead is added only to limits
 * that the pod has.
 */
export function podResourcesWithOverhead(
  spec: DeepReadonly<PodSpec>,
  of: "requests" | "limits",
  status?: DeepReadonly<PodStatus>,
): ResourceList {
  const total = podResources(spec, of, status);
  const overhead = parseResourceList(spec.overhead as Record<string, string> | undefined);
  const counted = Object.entries(overhead).filter(
    ([name]) => of === "requests" || ownMember(total, name)?.isZero === false,
  );
  return addResources(total, Object.fromEntries(counted));
}
