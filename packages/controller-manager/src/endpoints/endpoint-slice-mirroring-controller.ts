import { isIPv6 } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreNotFound, joinKey, keyOf } from "@kubewright/apimachinery";
import { EndpointSlice, Endpoints, Service } from "@kubewright/client/kinds";
import { enqueueRequestForObject, enqueueRequestsFromMapFunc, type Reconciler } from "@kubewright/controller";
import { ignoreLostRace } from "../namespace/active-namespace.ts";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { controllerReference } from "../workload/pod-from-template.ts";

const serviceName = "kubernetes.io/service-name";
const managedBy = "endpointslice.kubernetes.io/managed-by";
const ours = "endpointslicemirroring-controller.k8s.io";
const skipMirror = "endpointslice.kubernetes.io/skip-mirror";
const leader = "control-plane.alpha.kubernetes.io/leader";
/** Annotations that apply only to the Endpoints object and are not copied to slices. */
const unmirrored = new Set([
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
]);
/** Maximum number of addresses per subset. Any further addresses are left out. */
const maxPerSubset = 1_000;

/** Creates EndpointSlices for manually managed Endpoints. @see kubernetes pkg/controller/endpointslicemirroring */
export const addEndpointSliceMirroringController: AddController = ({ controller }) => {
  const endpointsOfSlice = enqueueRequestsFromMapFunc<EndpointSlice>(({ metadata }) => {
    const name = metadata.labels?.[serviceName];
    return name && metadata.labels?.[managedBy] === ours ? [joinKey(metadata.namespace, name)] : [];
  });
  controller("endpointslice-mirroring-controller")
    .for(Endpoints)
    .watches(Service, enqueueRequestForObject())
    .watches(EndpointSlice, endpointsOfSlice)
    .complete(reconcile);
};

const reconcile: Reconciler = async (key, { client }) => {
  const endpoints = await client.get(Endpoints, key).catch(ignoreNotFound);
  const service = await client.get(Service, key).catch(ignoreNotFound);
  const { namespace, name } = endpoints?.metadata ?? service?.metadata ?? {};
  if (name === undefined) return; // its slices are garbage-collected because it owns them
  const present = (await client.list(EndpointSlice, { namespace })).filter(
    ({ metadata }) => metadata.labels?.[serviceName] === name && metadata.labels[managedBy] === ours,
  );
  const isMirrored = endpoints && service && !service.spec.selector && mayBeMirrored(endpoints);
  const wanted = isMirrored ? slicesOf(endpoints) : [];
  const spare = [...present];
  for (const slice of wanted) {
    const same = spare.findIndex((each) => isSame(each, slice));
    if (same >= 0) {
      spare.splice(same, 1);
      continue;
    }
    const at = spare.findIndex(({ addressType }) => addressType === slice.addressType);
    const [old] = at >= 0 ? spare.splice(at, 1) : [];
    if (!old) await client.create(EndpointSlice, slice).catch(ignoreLostRace);
    else {
      const { labels, annotations } = slice.metadata;
      const metadata = { ...old.metadata, labels, annotations };
      await client
        .update(EndpointSlice, { ...old, ...slice, metadata } as DeepReadonly<EndpointSlice>)
        .catch(ignoreGone);
    }
  }
  for (const slice of spare) await client.delete(EndpointSlice, keyOf(slice)).catch(ignoreNotFound);
};

const mayBeMirrored = ({ metadata }: DeepReadonly<Endpoints>): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[skipMirror] !== "true" &&
  metadata.labels?.["endpoints.kubernetes.io/managed-by"] === undefined &&
  metadata.annotations?.[leader] === undefined;

/** Returns a slice for each combination of subset and address family. */
function slicesOf(endpoints: DeepReadonly<Endpoints>) {
  const { name, namespace = "", labels, annotations = {} } = endpoints.metadata;
  const metadata = {
    generateName: `${name}-`,
    namespace,
    labels: { ...labels, [serviceName]: name, [managedBy]: ours },
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => !unmirrored.has(key))),
    ownerReferences: [controllerReference(Endpoints, endpoints)],
  };
  return (endpoints.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ].slice(0, maxPerSubset);
    const families = (["IPv4", "IPv6"] as const).map((addressType) => ({
      addressType,
      endpoints: all
        .filter(({ address }) => isIPv6(address.ip) === (addressType === "IPv6"))
        .map(({ address: { ip, hostname, nodeName, targetRef }, ready }) => ({
          addresses: [ip],
          conditions: { ready },
          ...(hostname ? { hostname } : {}),
          ...(targetRef ? { targetRef: { ...targetRef } } : {}),
          ...(nodeName ? { nodeName } : {}),
        })),
    }));
    const slicePorts = ports.map(({ name: portName = "", port, protocol = "TCP", appProtocol }) => ({
      name: portName,
      port,
      protocol,
      ...(appProtocol ? { appProtocol } : {}),
    }));
    return families
      .filter((family) => family.endpoints.length > 0)
      .map((family) => ({ metadata, ...family, ports: slicePorts }));
  });
}

type Slice = ReturnType<typeof slicesOf>[number];

const isSame = (present: DeepReadonly<EndpointSlice>, { addressType, endpoints, ports, metadata }: Slice): boolean =>
  present.addressType === addressType &&
  isDeepStrictEqual(plain(present.endpoints), plain(endpoints)) &&
  isDeepStrictEqual(plain(present.ports ?? []), plain(ports)) &&
  isDeepStrictEqual({ ...present.metadata.labels }, metadata.labels) &&
  isDeepStrictEqual({ ...present.metadata.annotations }, metadata.annotations);

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
