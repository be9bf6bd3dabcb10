import type { DeepReadonly, Unstructured } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden, aggregateText } from "@kubewright/apiserver/admission";
import type { Container, PodSpec } from "../../kinds/pod/pod-types.ts";
import { parseResourceList, type WireResourceList } from "../../kinds/resource-list.ts";
import { claimViolations, type LimitItem, podViolations } from "./limit-range-constraints.ts";

/** The fields of a LimitRange that admission uses. */
export interface LimitRange {
  readonly spec?: { readonly limits?: readonly LimitItem[] | undefined } | undefined;
}

const annotation = "kubernetes.io/limit-ranger";

/**
 * Sets missing requests and limits of containers to the defaults in the namespace's LimitRanges, and rejects pods and
 * claims that violate the LimitRanges' bounds.
 *
 * @see kubernetes plugin/pkg/admission/limitranger
 */
export function limitRanger(limitRanges: (namespace: string) => Promise<readonly DeepReadonly<LimitRange>[]>) {
  const concerned = async (attributes: AdmissionAttributes): Promise<readonly DeepReadonly<LimitRange>[]> =>
    isLimited(attributes) ? limitRanges(attributes.namespace) : [];
  return {
    name: "LimitRanger",
    resources: ["pods", "persistentvolumeclaims"],
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",

    async admit(attributes) {
      if (!attributes.object || attributes.resource.resource !== "pods") return;
      for (const range of await concerned(attributes)) setDefaults(attributes.object, range.spec?.limits ?? []);
    },

    async validate(attributes) {
      const { object, resource } = attributes;
      if (!object) return;
      for (const { spec } of await concerned(attributes)) {
        const limits = spec?.limits ?? [];
        const complaints =
          resource.resource === "pods"
            ? podViolations(limits, (object.spec ?? {}) as PodSpec)
            : claimViolations(limits, requestsOf(object));
        if (complaints.length > 0) throw admissionForbidden(attributes, aggregateText(complaints));
      }
    },
  } satisfies AdmissionPlugin;
}

function isLimited({ resource, kind, subresource, operation, oldObject }: AdmissionAttributes): boolean {
  if (resource.group !== "" || oldObject?.metadata.deletionTimestamp) return false;
  if (kind.kind === "Pod" && operation === "UPDATE") return subresource === "resize";
  return subresource === "" && (kind.kind === "Pod" || kind.kind === "PersistentVolumeClaim");
}

const requestsOf = ({ spec }: Unstructured) =>
  parseResourceList((spec as { resources?: { requests?: WireResourceList } } | undefined)?.resources?.requests);

const joined = (lists: readonly (WireResourceList | undefined)[]): WireResourceList =>
  Object.fromEntries(lists.flatMap((list) => Object.entries(list ?? {})));

function setDefaults(pod: Unstructured, limits: readonly DeepReadonly<LimitItem>[]): void {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const requests: WireResourceList = joined(ofContainers.map((item) => item.defaultRequest));
  const maxima: WireResourceList = joined(ofContainers.map((item) => item.default));
  const { containers = [], initContainers = [] } = (pod.spec ?? {}) as PodSpec;
  const done = [
    ...containers.flatMap((each) => setContainerDefaults(each, requests, maxima, "container")),
    ...initContainers.flatMap((each) => setContainerDefaults(each, requests, maxima, "init container")),
  ];
  if (done.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${done.join("; ")}`,
  };
}

/** Sets a container's missing requests and limits to the defaults. Returns a description of the changes. */
function setContainerDefaults(
  container: Container,
  requests: WireResourceList,
  limits: WireResourceList,
  what: string,
): string[] {
  const present = container.resources ?? {};
  const missing = (wanted: WireResourceList, have: WireResourceList | undefined): string[] =>
    Object.keys(wanted)
      .filter((name) => ownMember(have, name) === undefined)
      .sort();
  const newRequests = missing(requests, present.requests);
  const newLimits = missing(limits, present.limits);
  if (newRequests.length + newLimits.length === 0) return [];
  container.resources = {
    ...present,
    ...(newLimits.length > 0 ? { limits: { ...limits, ...present.limits } } : {}),
    ...(newRequests.length > 0 ? { requests: { ...requests, ...present.requests } } : {}),
  };
  const { name = "" } = container;
  return [
    ...(newRequests.length > 0 ? [`${newRequests.join(", ")} request for ${what} ${name}`] : []),
    ...(newLimits.length > 0 ? [`${newLimits.join(", ")} limit for ${what} ${name}`] : []),
  ];
}
