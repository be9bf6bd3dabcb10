import { CertificateAuthority } from "@kubewright/certificates";

/** Host names of the server: its Service, other names, or both. */
export interface ServiceNames {
  /** Service in front of the server. Adds the names `<name>.<namespace>.svc` and `<name>.<namespace>.svc.cluster.local`. */
  readonly service?: { readonly name: string; readonly namespace: string } | undefined;
  /** DNS names and IP addresses of the server. */
  readonly dnsNames?: readonly string[] | undefined;
}

/** Returns the host names of a server. @throws {Error} if there are none, or one of them is not valid */
export function serverHosts({ service, dnsNames = [] }: ServiceNames): readonly string[] {
  const ofService = service
    ? [`${service.name}.${service.namespace}.svc`, `${service.name}.${service.namespace}.svc.cluster.local`]
    : [];
  const hosts = [...new Set([...ofService, ...dnsNames])];
  if (hosts.length === 0)
    throw new Error("certificates: pass `service` or `dnsNames`, which name the hosts that API servers call");
  new CertificateAuthority("check").issueServer("server", hosts); // throws and names the invalid host
  return hosts;
}
