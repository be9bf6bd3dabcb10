import { quote } from "@kubewright/apimachinery";
import type { StoredObject } from "@kubewright/storage";
import type { ResolveService } from "./client-config.ts";

/** What the server knows of Services. */
interface ServiceLookup {
  service(namespace: string, name: string): Promise<StoredObject | undefined>;
  endpoints(namespace: string, name: string): Promise<StoredObject | undefined>;
  endpointSlices(namespace: string): Promise<readonly StoredObject[]>;
}

/**
 * Finds a ready address behind a Service, as kube-apiserver does with aggregator routing: addresses of Services lead nowhere in a
 * cluster of one process.
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
    throw new Error(`no endpoints available for service ${quote(name)}`);
  };
}

interface NamedPort {
  readonly name?: string;
  readonly port?: number;
}

interface Service {
  readonly spec?: { readonly type?: string; readonly externalName?: string; readonly ports?: readonly NamedPort[] };
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
