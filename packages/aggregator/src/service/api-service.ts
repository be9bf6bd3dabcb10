import type { StoredObject } from "@kubewright/storage";

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** A validated APIService. */
export interface ApiService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Service of the extension server. If `undefined`, this server serves the version itself. */
  readonly service: ServiceReference | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** CA certificates in PEM format, encoded as base64. If empty, the root CAs of the machine are used. */
  readonly caBundle: string;
  readonly condition: Condition | undefined;
}

/** An APIService whose version is served by an extension server. */
export type RemoteApiService = ApiService & { readonly service: ServiceReference };

export const isRemote = (apiService: ApiService): apiService is RemoteApiService => apiService.service !== undefined;

/** Converts a stored APIService to the aggregator's own representation. */
export function readApiService(object: StoredObject): ApiService {
  const { spec = {}, status = {} } = object as {
    spec?: {
      group?: string;
      version?: string;
      groupPriorityMinimum?: number;
      versionPriority?: number;
      service?: { namespace?: string; name?: string; port?: number };
      insecureSkipTLSVerify?: boolean;
      caBundle?: string;
    };
    status?: { conditions?: readonly Condition[] };
  };
  const { service } = spec;
  return {
    name: object.metadata.name,
    group: spec.group ?? "",
    version: spec.version ?? "",
    groupPriority: spec.groupPriorityMinimum ?? 0,
    versionPriority: spec.versionPriority ?? 0,
    service: service && { namespace: service.namespace ?? "", name: service.name ?? "", port: service.port ?? 443 },
    insecureSkipTlsVerify: spec.insecureSkipTLSVerify ?? false,
    caBundle: spec.caBundle ?? "",
    condition: status.conditions?.find(({ type }) => type === "Available"),
  };
}

export const isAvailable = ({ condition }: ApiService): boolean => condition?.status === "True";

/** Reports whether connections made for one APIService can also be used for the other. */
export const isSameEnd = (a: ApiService, b: ApiService): boolean =>
  a.insecureSkipTlsVerify === b.insecureSkipTlsVerify &&
  a.caBundle === b.caBundle &&
  a.service?.namespace === b.service?.namespace &&
  a.service?.name === b.service?.name &&
  a.service?.port === b.service?.port;

/** Returns the path under which an APIService's version is served. */
export const pathOf = ({ group, version }: Pick<ApiService, "group" | "version">): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
