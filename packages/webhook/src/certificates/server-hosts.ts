import { CertificateAuthority } from "@kubewright/certificates";

/** Host names of the server: its Service, other names, or both. */
export interface ServiceNames {
  /** Adds `<name>.<namespace>.svc` and the same with `.cluster.local`. */
  readonly service?: { readonly name: string; readonly namespace: string } | undefined;
  /** DNS names and IP addresses. */
  readonly dnsNames?: readonly string[] | undefined;
}

/** @throws {Error} if there are no host names, or one of them is not valid */
export function serverHosts({ service, dnsNames = [] }: ServiceNames): readonly string[] {
  const ofService = service
    ? [`${service.name}.${service.namespace}.svc`, `${service.name}.${service.namespace}.svc.cluster.local`]
    : [];
  const hosts = [...new Set([...ofService, ...dnsNames])];
  if (hosts.length === 0)
    throw new Error("certificates: pass `service` or `dnsNames`, the names that API servers call");
  new CertificateAuthority("check").issueServer("server", hosts); // throws and names the invalid host
  return hosts;
}
