import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember, setOwnMember } from "@kubewright/apimachinery";
import type { Container, ContainerStatus, PodSpec, PodStatus } from "../kinds/pod/pod-types.ts";
import { addResources, maxResources, parseResourceList, type ResourceList } from "./resource-list.ts";

/** Resources that a pod can request itself, in addition to its containers. */
const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");

/** Reports whether a pod has pod-level resources. @see component-helpers resource IsPodLevelResourcesSet */
export const hasPodResources = ({ resources }: DeepReadonly<PodSpec>): boolean =>
  [resources?.requests, resources?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevel));

/**
 * Returns a pod's total requests or limits: the sum of its containers and sidecars, or the maximum while its init containers run,
 * whichever is greater; pod-level values override them.
 *
 * @param status includes current or allocated amounts of containers if they exceed the specification
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

/** @see component-helpers resource determineEffectiveRequests, determineEffectiveLimits */
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

/** Returns the same amounts plus the overhead of the pod's runtime, which is added only to existing limits. */
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
