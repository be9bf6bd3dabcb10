import { CertificateAuthority } from "@kubewright/certificates";

/** How callers name the server: by its Service, by names of its own, or both. */
export interface ServiceNames {
  /** Stands for `<name>.<namespace>.svc`, and for that with `.cluster.local` behind it. */
  readonly service?: { readonly name: string; readonly namespace: string } | undefined;
  /** DNS names and addresses. */
  readonly dnsNames?: readonly string[] | undefined;
}

/** @throws {Error} if there are none, or one is no host */
export function serverHosts({ service, dnsNames = [] }: ServiceNames): readonly string[] {
  const ofService = service
    ? [`${service.name}.${service.namespace}.svc`, `${service.name}.${service.namespace}.svc.cluster.local`]
    : [];
  const hosts = [...new Set([...ofService, ...dnsNames])];
  if (hosts.length === 0) throw new Error("certificates: give `service` or `dnsNames`, by which the server is called");
  new CertificateAuthority("check").issueServer("server", hosts); // says which is none
  return hosts;
}
