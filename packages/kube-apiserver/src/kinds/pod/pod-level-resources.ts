import {
  type FieldError,
  type FieldPath,
  fieldError,
  isRecord,
  ownMember,
  setOwnMember,
} from "@kubewright/apimachinery";
import { allowsOvercommit, isHugePages, resourceNameErrors } from "../core/resource-names.ts";
import { hasPodResources, isPodLevel, podResources } from "../pod-resources.ts";
import { formatResourceList, parseResourceList, type ResourceList } from "../resource-list.ts";
import { resourceErrors } from "./container-validation.ts";
import type { PodSpec } from "./pod-types.ts";

/**
 * Completes the requests and limits of a pod that sets some of them at the pod level:
 *
 * - Requests, and limits for huge pages, default to the sum for the containers.
 * - Requests without such a sum default to the limit.
 * - If all containers have a limit, limits default to their sum, or to the request if that is higher.
 *
 * @see pkg/api/pod DefaultPodLevelResources
 */
export function applyPodLevelDefaults(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources || isEmpty(resources)) return;
  const containers: PodSpec = { ...spec, resources: {} };
  const limits = parseResourceList(resources.limits);
  const requests = parseResourceList(resources.requests);
  const [allLimits, allRequests] = [podResources(containers, "limits"), podResources(containers, "requests")];
  for (const [name, amount] of Object.entries(allLimits))
    if (isHugePages(name) && !Object.hasOwn(requests, name)) addMissing(limits, name, amount);
  for (const [name, amount] of Object.entries(allRequests))
    if (isPodLevel(name) && allowsOvercommit(name)) addMissing(requests, name, amount);
  for (const [name, amount] of Object.entries(limits)) if (isPodLevel(name)) addMissing(requests, name, amount);
  const every = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const [name, request] of Object.entries(requests)) {
    const sum = ownMember(allLimits, name);
    if (!isPodLevel(name) || !sum || !every.every((one) => Object.hasOwn(one.resources?.limits ?? {}, name))) continue;
    addMissing(limits, name, request.compare(sum) > 0 ? request : sum);
  }
  spec.resources = { ...resources, ...listed("limits", limits), ...listed("requests", requests) };
}

type Resources = NonNullable<PodSpec["resources"]>;

const isEmpty = ({ limits = {}, requests = {} }: Resources): boolean =>
  Object.keys(limits).length === 0 && Object.keys(requests).length === 0;

function addMissing(list: ResourceList, name: string, amount: ResourceList[string]): void {
  if (!Object.hasOwn(list, name)) setOwnMember(list, name, amount);
}

const listed = (member: "limits" | "requests", list: ResourceList): Resources =>
  Object.keys(list).length === 0 ? {} : { [member]: formatResourceList(list) };

/** Returns the errors in a pod's pod-level requests and limits. @see pkg/apis/core/validation validatePodResources */
export function podResourceErrors(spec: PodSpec, path: FieldPath): FieldError[] {
  if (!spec.resources) return [];
  const at = path.child("resources");
  if (isRecord(spec.os) && spec.os.name === "windows")
    return [fieldError.forbidden(at, "may not be set for a windows pod")];
  const { claims } = spec.resources;
  return [
    ...(claims ? [fieldError.forbidden(at.child("claims"), "claims may not be set for Resources at pod-level")] : []),
    ...resourceErrors(spec.resources, at, podResourceNameErrors),
    ...consistencyErrors(spec, at),
  ];
}

function podResourceNameErrors(name: string, at: FieldPath): FieldError[] {
  const errors = resourceNameErrors(name, at);
  if (errors.length > 0 || isPodLevel(name)) return errors;
  return [fieldError.notSupported(at, name, ["cpu", "hugepages-", "memory"])];
}

/** Returns errors for containers that need more than their pod has. @see pkg/apis/core/validation validatePodResourceConsistency */
function consistencyErrors(spec: PodSpec, at: FieldPath): FieldError[] {
  const containers: PodSpec = { ...spec, resources: {} };
  const limits = parseResourceList(spec.resources?.limits);
  const tooLow = (member: "limits" | "requests", isChecked: (name: string) => boolean): FieldError[] => {
    const own = parseResourceList(spec.resources?.[member]);
    return Object.entries(podResources(containers, member)).flatMap(([name, sum]) => {
      const amount = ownMember(own, name);
      if (!amount || !isChecked(name) || sum.compare(amount) <= 0) return [];
      const text = `must be greater than or equal to aggregate container ${member} of ${sum}`;
      return [fieldError.invalid(at.child(member).key(name), amount.toString(), text)];
    });
  };
  return [
    ...tooLow("requests", () => true),
    ...tooLow("limits", isHugePages),
    ...(spec.containers ?? []).flatMap(({ resources }, i) =>
      Object.entries(parseResourceList(resources?.limits)).flatMap(([name, amount]) => {
        const most = ownMember(limits, name);
        if (!most || amount.compare(most) <= 0) return [];
        const where = at.child("containers").index(i).key(name).child("limits");
        return [fieldError.invalid(where, amount.toString(), `must be less than or equal to pod limits of ${most}`)];
      }),
    ),
  ];
}

/**
 * Returns errors for a resize that removes pod-level requests or limits.
 *
 * @see pkg/apis/core/validation validatePodLevelResourcesResize
 */
export function podResizeErrors(spec: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  if (!hasPodResources(old)) return [];
  const at = path.child("resources");
  return (["requests", "limits"] as const).flatMap((member) => {
    const next = spec.resources?.[member];
    return Object.keys(old.resources?.[member] ?? {}).some((name) => ownMember(next, name) === undefined)
      ? [fieldError.forbidden(at.child(member), `pod-level resource ${member} cannot be removed`)]
      : [];
  });
}
