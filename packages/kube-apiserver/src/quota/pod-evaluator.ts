import type { DeepReadonly } from "@kubewright/apimachinery";
import { setOwnMember } from "@kubewright/apimachinery";
import type { Container, Pod, PodSpec } from "../kinds/pod/pod-types.ts";
import { qosClassOf } from "../kinds/pod/quality-of-service.ts";
import { hasPodResources, podResourcesWithOverhead } from "../kinds/pod-resources.ts";
import { addResources, one, parseResourceList, type ResourceList } from "../kinds/resource-list.ts";
import { type CountedObject, countName, type QuotaEvaluator } from "./quota-evaluator.ts";
import { type ScopeSelector, selectorAccepts } from "./quota-scope.ts";

const podResourceNames = new Set([
  countName("", "pods"),
  "pods",
  "cpu",
  "memory",
  "ephemeral-storage",
  ...["cpu", "memory", "ephemeral-storage"].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
/** Resources for which containers must specify an amount if a quota counts the resource. */
const demanded = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

const asPod = (object: CountedObject): DeepReadonly<Pod> => object;

/**
 * Counts pods and, as long as a pod has not finished, its requests and limits.
 *
 * @see pkg/quota/v1/evaluator/core pods.go
 */
export const podEvaluator: QuotaEvaluator = {
  group: "",
  resource: "pods",

  handles({ operation, subresource, object, oldObject }) {
    if (subresource === "resize") return operation === "UPDATE";
    if (subresource !== "") return false;
    if (operation !== "UPDATE") return operation === "CREATE";
    return object !== undefined && oldObject !== undefined && hasDeadline(object) !== hasDeadline(oldObject);
  },

  constraint(resources, object) {
    const { spec = {} } = asPod(object);
    if (hasPodResources(spec)) return undefined;
    const wanted = resources.filter((name) => demanded.has(name)).sort();
    const complaints = wanted.flatMap((name) => {
      const silent = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].filter(
        (container) => !(name in containerUsage(container)),
      );
      const names = silent.map((container) => container.name ?? "").sort();
      return names.length > 0 ? [`${name} for: ${[...new Set(names)].join(",")}`] : [];
    });
    return complaints.length > 0 ? `must specify ${complaints.join("; ")}` : undefined;
  },

  matchingResources: (names) =>
    names.filter(
      (name) =>
        podResourceNames.has(name) ||
        name.startsWith("hugepages-") ||
        name.startsWith("requests.hugepages-") ||
        isExtendedRequest(name),
    ),

  isInScope: (scope, object) => isInScope(scope, asPod(object)),

  usage(object, nowMs) {
    const count = { [countName("", "pods")]: one };
    const pod = asPod(object);
    if (!stillUses(pod, nowMs)) return count;
    const amounts = (of: "requests" | "limits"): ResourceList =>
      podResourcesWithOverhead(pod.spec ?? {}, of, pod.status);
    return addResources(count, computeUsage(amounts("requests"), amounts("limits")));
  },
};

const containerUsage = ({ resources }: DeepReadonly<Container>): ResourceList =>
  computeUsage(parseResourceList(resources?.requests), parseResourceList(resources?.limits));

/** Returns requests and limits under the names that quotas use for them. */
function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage: Record<string, (typeof requests)[string]> = { pods: one };
  for (const [name, amount] of Object.entries(requests)) {
    const isPlain = name === "cpu" || name === "memory" || name === "ephemeral-storage";
    if (isPlain || name.startsWith("hugepages-")) setOwnMember(usage, name, amount);
    if (isPlain || name.startsWith("hugepages-") || isExtended(name)) usage[`requests.${name}`] = amount;
  }
  for (const name of ["cpu", "memory", "ephemeral-storage"]) {
    const amount = limits[name];
    if (amount) usage[`limits.${name}`] = amount;
  }
  return usage;
}

const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");
const deviceClass = "deviceclass.resource.kubernetes.io/";
const isExtended = (name: string): boolean =>
  (!isNative(name) && !name.startsWith("requests.")) || name.startsWith(deviceClass);
const isExtendedRequest = (name: string): boolean =>
  name.startsWith("requests.") && (!isNative(name) || name.startsWith(`requests.${deviceClass}`));

const hasDeadline = (object: CountedObject): boolean => (asPod(object).spec?.activeDeadlineSeconds ?? -1) >= 0;

function isInScope(scope: ScopeSelector, pod: DeepReadonly<Pod>): boolean {
  const spec: DeepReadonly<PodSpec> = pod.spec ?? {};
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return qosClassOf(spec as PodSpec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec as PodSpec) !== "BestEffort";
    case "PriorityClass":
      return selectorAccepts(scope, spec.priorityClassName || undefined);
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(spec.affinity);
    default:
      return false;
  }
}

interface AffinityTerm {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: unknown;
}
interface Affinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly podAffinityTerm?: AffinityTerm }[];
}

function reachesOtherNamespaces(value: unknown): boolean {
  const { podAffinity, podAntiAffinity } = (value ?? {}) as { podAffinity?: Affinity; podAntiAffinity?: Affinity };
  return [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => each.podAffinityTerm ?? {}),
    ].some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined),
  );
}

/** Reports whether a pod still uses resources. A pod that has finished, or whose grace period has passed, counts only as an object. */
function stillUses({ metadata, status }: DeepReadonly<Pod>, nowMs: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1_000;
}
