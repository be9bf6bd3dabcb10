import { type DeepReadonly, ownMember, Quantity } from "@kubewright/apimachinery";
import type { PodSpec } from "../../kinds/pod/pod-types.ts";
import { podResources } from "../../kinds/pod-resources.ts";
import { parseResourceList, type ResourceList, type WireResourceList } from "../../kinds/resource-list.ts";

/** An item in a LimitRange, with the limits for one type of object. */
export interface LimitItem {
  readonly type?: string | undefined;
  readonly min?: WireResourceList | undefined;
  readonly max?: WireResourceList | undefined;
  readonly default?: WireResourceList | undefined;
  readonly defaultRequest?: WireResourceList | undefined;
  readonly maxLimitRequestRatio?: WireResourceList | undefined;
}

type Items = readonly DeepReadonly<LimitItem>[];

/** Returns a message for each limit that a pod's resources violate. @see plugin/pkg/admission/limitranger PodValidateLimitFunc */
export function podViolations(limits: Items, spec: DeepReadonly<PodSpec>): string[] {
  return limits.flatMap((item) => {
    if (item.type === "Pod") return complaintsOf(item, podResources(spec, "requests"), podResources(spec, "limits"));
    if (item.type !== "Container") return [];
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      complaintsOf(item, parseResourceList(resources?.requests), parseResourceList(resources?.limits)),
    );
  });
}

/**
 * Returns a message for each limit that a claim's requests violate.
 *
 * @see plugin/pkg/admission/limitranger PersistentVolumeClaimValidateLimitFunc
 */
export function claimViolations(limits: Items, requests: ResourceList): string[] {
  return limits
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap(({ type = "", min, max }) => [
      ...each(min, (name, bound) => minimum(type, name, bound, requests, {})),
      ...each(max, (name, bound) => {
        const request = ownMember(requests, name);
        const start = `maximum ${name} usage per ${type} is ${bound}`;
        if (!request) return `${start}.  No request is specified`;
        return isMore(request, bound) ? `${start}, but request is ${request}` : undefined;
      }),
    ]);
}

function complaintsOf(
  { type = "", min, max, maxLimitRequestRatio }: DeepReadonly<LimitItem>,
  requests: ResourceList,
  limits: ResourceList,
): string[] {
  return [
    ...each(min, (name, bound) => minimum(type, name, bound, requests, limits)),
    ...each(max, (name, bound) => maximum(type, name, bound, requests, limits)),
    ...each(maxLimitRequestRatio, (name, bound) =>
      ratio(type, name, bound, ownMember(requests, name), ownMember(limits, name)),
    ),
  ];
}

function each(
  bounds: WireResourceList | undefined,
  complain: (name: string, bound: Quantity) => string | undefined,
): string[] {
  return Object.entries(bounds ?? {}).flatMap(([name, bound]) => complain(name, Quantity.parse(bound)) ?? []);
}

function minimum(type: string, name: string, bound: Quantity, requests: ResourceList, limits: ResourceList) {
  const [request, limit] = [ownMember(requests, name), ownMember(limits, name)];
  const start = `minimum ${name} usage per ${type} is ${bound}`;
  if (!request) return `${start}.  No request is specified`;
  if (isMore(bound, request)) return `${start}, but request is ${request}`;
  if (limit && isMore(bound, limit)) return `${start}, but limit is ${limit}`;
  return undefined;
}

function maximum(type: string, name: string, bound: Quantity, requests: ResourceList, limits: ResourceList) {
  const [request, limit] = [ownMember(requests, name), ownMember(limits, name)];
  const start = `maximum ${name} usage per ${type} is ${bound}`;
  if (!limit) return `${start}.  No limit is specified`;
  if (isMore(limit, bound)) return `${start}, but limit is ${limit}`;
  if (request && isMore(request, bound)) return `${start}, but request is ${request}`;
  return undefined;
}

function ratio(type: string, name: string, bound: Quantity, request?: Quantity, limit?: Quantity) {
  const start = `${name} max limit to request ratio per ${type} is ${bound}`;
  if (!request || request.isZero) return `${start}, but no request is specified or request is 0`;
  if (!limit || limit.isZero) return `${start}, but no limit is specified or limit is 0`;
  const provided = Number(limit.milliValue) / Number(request.milliValue);
  return provided > bound.toNumber() ? `${start}, but provided ratio is ${provided.toFixed(6)}` : undefined;
}

/** Reports whether a quantity is greater than another. Like upstream, compares them in thousandths. */
const isMore = (a: Quantity, b: Quantity): boolean => a.milliValue > b.milliValue;
