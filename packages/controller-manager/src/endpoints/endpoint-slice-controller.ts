import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreNotFound, joinKey, keyOf } from "@kubewright/apimachinery";
import { EndpointSlice, Pod, Service } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc, type Reconciler } from "@kubewright/controller";
import { ignoreLostRace } from "../namespace/active-namespace.ts";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { controllerReference } from "../workload/pod-from-template.ts";
import { type EndpointGroup, endpointGroups, isHeadless, type PodEndpoint } from "./service-endpoints.ts";
import { servicesOfPod } from "./services-of-pod.ts";

const serviceName = "kubernetes.io/service-name";
const managedBy = "endpointslice.kubernetes.io/managed-by";
const ours = "endpointslice-controller.k8s.io";
const headless = "service.kubernetes.io/headless";
const slotsPerSlice = 100;

/** Maintains the EndpointSlices of services that have selectors. @see kubernetes pkg/controller/endpointslice */
export const addEndpointSliceController: AddController = ({ controller }) => {
  const serviceOfSlice = enqueueRequestsFromMapFunc<EndpointSlice>(({ metadata }) => {
    const name = metadata.labels?.[serviceName];
    return name && metadata.labels?.[managedBy] === ours ? [joinKey(metadata.namespace, name)] : [];
  });
  controller("endpointslice-controller")
    .for(Service)
    .watches(Pod, servicesOfPod)
    .watches(EndpointSlice, serviceOfSlice)
    .complete(reconcile);
};

const reconcile: Reconciler = async (key, { client }) => {
  const service = await client.get(Service, key).catch(ignoreNotFound);
  if (!service || service.metadata.deletionTimestamp !== undefined) return; // its slices are garbage-collected because it owns them
  if (!service.spec.selector || service.spec.type === "ExternalName") return;
  const { namespace, name } = service.metadata;
  const present = (await client.list(EndpointSlice, { namespace })).filter(
    ({ metadata }) =>
      metadata.labels?.[serviceName] === name &&
      metadata.labels[managedBy] === ours &&
      metadata.deletionTimestamp === undefined,
  );
  const wanted = slicesOf(service, endpointGroups(service, await client.list(Pod, { namespace })));
  const labels = {
    ...service.metadata.labels,
    ...(isHeadless(service) ? { [headless]: "" } : {}),
    [managedBy]: ours,
    [serviceName]: name,
  };
  const spare = [...present];
  const missing = wanted.filter((content) => {
    const at = spare.findIndex((slice) => isSame(slice, content, labels));
    if (at >= 0) spare.splice(at, 1);
    return at < 0;
  });
  for (const content of missing) {
    const old = spare.shift();
    if (old) {
      const next = { ...old, metadata: { ...old.metadata, labels }, ...content };
      await client.update(EndpointSlice, next as DeepReadonly<EndpointSlice>).catch(ignoreGone);
      continue;
    }
    const metadata = {
      generateName: `${name}-`,
      namespace: namespace ?? "",
      labels,
      ownerReferences: [controllerReference(Service, service)],
    };
    await client.create(EndpointSlice, { metadata, addressType: "IPv4", ...content }).catch(ignoreLostRace);
  }
  for (const slice of spare) await client.delete(EndpointSlice, keyOf(slice)).catch(ignoreNotFound);
};

type Content = Pick<EndpointSlice, "endpoints" | "ports">;

/** Returns the content of a service's slices. If the service has no endpoints, returns one empty slice, which shows this. */
function slicesOf(service: DeepReadonly<Service>, groups: readonly EndpointGroup[]): Content[] {
  const contents = groups.flatMap(({ ports, endpoints }) => {
    const count = Math.ceil(endpoints.length / slotsPerSlice);
    return Array.from({ length: count }, (_, i) => ({
      endpoints: endpoints.slice(i * slotsPerSlice, (i + 1) * slotsPerSlice).map((each) => endpointOf(each, service)),
      ports: ports.map((port) => ({ ...port })),
    }));
  });
  return contents.length > 0 ? contents : [{ endpoints: [], ports: [] }];
}

function endpointOf({ pod, ip, isReady, isTerminating, hostname }: PodEndpoint, { spec }: DeepReadonly<Service>) {
  const { name, namespace = "", uid = "" } = pod.metadata;
  return {
    addresses: [ip],
    conditions: {
      ready: spec.publishNotReadyAddresses === true || (isReady && !isTerminating),
      serving: isReady,
      terminating: isTerminating,
    },
    ...(hostname ? { hostname } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

function isSame(slice: DeepReadonly<EndpointSlice>, { endpoints, ports }: Content, labels: object): boolean {
  return (
    isDeepStrictEqual(plain(slice.endpoints ?? []), plain(endpoints)) &&
    isDeepStrictEqual(plain(slice.ports ?? []), plain(ports ?? [])) &&
    isDeepStrictEqual({ ...slice.metadata.labels }, labels)
  );
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
