import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreNotFound } from "@kubewright/apimachinery";
import { Endpoints, Pod, Service } from "@kubewright/client/kinds";
import { enqueueRequestForObject, type Reconciler } from "@kubewright/controller";
import { ignoreLostRace } from "../namespace/active-namespace.ts";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { type EndpointGroup, endpointGroups, isHeadless, type PodEndpoint } from "./service-endpoints.ts";
import { servicesOfPod } from "./services-of-pod.ts";

const managedBy = "endpoints.kubernetes.io/managed-by";
const headless = "service.kubernetes.io/headless";

/** Maintains the Endpoints of services that have selectors. @see kubernetes pkg/controller/endpoint */
export const addEndpointsController: AddController = ({ controller }) => {
  controller("endpoints-controller")
    .for(Service)
    .watches(Pod, servicesOfPod)
    .watches(Endpoints, enqueueRequestForObject())
    .complete(reconcile);
};

const reconcile: Reconciler = async (key, { client }) => {
  const service = await client.get(Service, key).catch(ignoreNotFound);
  const present = await client.get(Endpoints, key).catch(ignoreNotFound);
  if (!service) {
    if (present?.metadata.labels?.[managedBy]) await client.delete(Endpoints, key).catch(ignoreNotFound);
    return;
  }
  if (!service.spec.selector || service.spec.type === "ExternalName") return;
  if (service.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name } = service.metadata;
  const groups = endpointGroups(service, await client.list(Pod, { namespace }));
  const subsets = groups.filter(({ endpoints }) => endpoints.some(isLive)).map(subsetOf);
  const labels = {
    ...service.metadata.labels,
    ...(isHeadless(service) ? { [headless]: "" } : {}),
    [managedBy]: "endpoint-controller",
  };
  const wanted = { metadata: { name, namespace: namespace ?? "", labels }, ...(subsets.length > 0 ? { subsets } : {}) };
  if (!present) {
    await client.create(Endpoints, wanted).catch(ignoreLostRace);
    return;
  }
  const isSame =
    isDeepStrictEqual(sorted(present.subsets), sorted(subsets)) &&
    isDeepStrictEqual({ ...present.metadata.labels }, labels);
  if (isSame) return;
  const { subsets: _, ...rest } = present;
  const next = { ...rest, ...wanted, metadata: { ...present.metadata, labels } };
  await client.update(Endpoints, next as DeepReadonly<Endpoints>).catch(ignoreGone);
};

const sorted = (subsets: unknown): unknown => JSON.parse(JSON.stringify(subsets ?? []));

const isLive = ({ isTerminating }: PodEndpoint): boolean => !isTerminating;

function subsetOf({ ports, endpoints }: EndpointGroup) {
  const live = endpoints.filter(isLive);
  const addresses = live.filter(({ isReady }) => isReady).map(addressOf);
  const notReadyAddresses = live.filter(({ isReady }) => !isReady).map(addressOf);
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports: ports.map(({ name, ...port }) => ({ ...(name ? { name } : {}), ...port })) } : {}),
  };
}

function addressOf({ pod, ip, hostname }: PodEndpoint) {
  const { name, namespace = "", uid = "" } = pod.metadata;
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}
