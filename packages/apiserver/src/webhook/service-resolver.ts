import { quote } from "@kubewright/apimachinery";
import type { StoredObject } from "@kubewright/storage";
import type { ResolveService } from "./client-config.ts";

/** Functions that look up Services and their endpoints. */
interface ServiceLookup {
  service(namespace: string, name: string): Promise<StoredObject | undefined>;
  endpoints(namespace: string, name: string): Promise<StoredObject | undefined>;
  endpointSlices(namespace: string): Promise<readonly StoredObject[]>;
  pods(namespace: string): Promise<readonly StoredObject[]>;
}

/**
 * Returns a function that resolves a Service to a ready endpoint, as kube-apiserver does with
 * `--enable-aggregator-routing`. The Service's own address does not work in a cluster that consists of a single
 * process. In such a cluster, pods listen on loopback addresses, which are not allowed in endpoints. Therefore, if
 * there are no endpoints, the function uses a ready pod that the Service selects.
 *
 * @see kube-aggregator pkg/apiserver/resolvers.go, apiserver pkg/util/proxy ResolveEndpoint
 */
export function serviceResolver(lookup: ServiceLookup): ResolveService {
  return async (namespace, name, port) => {
    const service = (await lookup.service(namespace, name)) as Service | undefined;
    if (!service) throw new Error(`service ${quote(name)} not found`);
    const { type = "ClusterIP", externalName = "", ports = [] } = service.spec ?? {};
    if (type === "ExternalName") return { host: externalName, port };
    const wanted = ports.find((one) => one.port === port);
    if (!wanted) throw new Error(`no service port ${port} found for service ${quote(name)}`);
    const slices = (await lookup.endpointSlices(namespace)) as readonly EndpointSlice[];
    for (const slice of slices) {
      if (slice.metadata.labels?.["kubernetes.io/service-name"] !== name) continue;
      const target = slice.ports?.find((one) => (one.name ?? "") === (wanted.name ?? ""));
      const ready = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false);
      const [host] = ready?.addresses ?? [];
      if (target?.port && host) return { host, port: target.port };
    }
    const endpoints = (await lookup.endpoints(namespace, name)) as Endpoints | undefined;
    for (const subset of endpoints?.subsets ?? []) {
      const target = subset.ports?.find((one) => (one.name ?? "") === (wanted.name ?? ""));
      const [address] = subset.addresses ?? [];
      if (target?.port && address) return { host: address.ip, port: target.port };
    }
    const pods = (await lookup.pods(namespace)) as readonly Pod[];
    // A terminating pod still responds for a while, so it is used if there is no other pod.
    const isEnding = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
    const local = [...pods.filter((pod) => !isEnding(pod)), ...pods.filter(isEnding)]
      .map((pod) => localAddress(pod, service, wanted))
      .find((address) => address !== undefined);
    if (local) return local;
    throw new Error(`no endpoints available for service ${quote(name)}`);
  };
}

function localAddress({ metadata, spec, status }: Pod, service: Service, wanted: NamedPort): Address | undefined {
  const selector = Object.entries(service.spec?.selector ?? {});
  const host = status?.podIP ?? "";
  const isReady = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True");
  if (!isReady || !(host.startsWith("127.") || host === "::1") || selector.length === 0) return undefined;
  if (!selector.every(([key, value]) => metadata.labels?.[key] === value)) return undefined;
  const { targetPort = wanted.port } = wanted;
  const named = spec?.containers?.flatMap(({ ports = [] }) => ports).find((each) => each.name === targetPort);
  const port = typeof targetPort === "number" ? targetPort : named?.containerPort;
  return port === undefined ? undefined : { host, port };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

interface NamedPort {
  readonly name?: string;
  readonly port?: number;
  readonly targetPort?: number | string;
}

interface Pod {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>>; readonly deletionTimestamp?: string };
  readonly spec?: {
    readonly containers?: readonly {
      readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
    }[];
  };
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Service {
  readonly spec?: {
    readonly type?: string;
    readonly externalName?: string;
    readonly ports?: readonly NamedPort[];
    readonly selector?: Readonly<Record<string, string>>;
  };
}

interface EndpointSlice {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly ports?: readonly NamedPort[];
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
  }[];
}

interface Endpoints {
  readonly subsets?: readonly {
    readonly ports?: readonly NamedPort[];
    readonly addresses?: readonly { readonly ip: string }[];
  }[];
}
