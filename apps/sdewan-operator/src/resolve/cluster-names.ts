import { type DeepReadonly, ignoreNotFound } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod, Service } from "@kubewright/client/kinds";
import { ipv4Of, isCurrent, isReady } from "../cnf/pod-state.ts";
import { type Resolve, systemResolve } from "./resolve.ts";

const ofService = /^(?<name>[a-z0-9-]+)\.(?<namespace>[a-z0-9-]+)\.svc(\.cluster\.local)?\.?$/i;

/**
 * Resolves the names of Services like the cluster's DNS: `<service>.<namespace>.svc[.cluster.local]` resolves to the
 * Service's address or, for a headless Service, to the addresses of its ready pods. All other names are passed to
 * another resolver.
 */
export const clusterNames =
  (reader: Reader, others: Resolve = systemResolve): Resolve =>
  async (name, signal) => {
    const { name: service, namespace } = ofService.exec(name.toLowerCase())?.groups ?? {};
    if (service === undefined || namespace === undefined) return others(name, signal);
    const found = await reader.get(Service, { namespace, name: service }).catch(ignoreNotFound);
    if (!found)
      throw Object.assign(new Error(`the Service ${namespace}/${service} does not exist`), { code: "ENOTFOUND" });
    const { externalName, clusterIP, clusterIPs = [] } = found.spec ?? {};
    if (externalName) return others(externalName, signal);
    return clusterIP === "None" ? podsOf(reader, found) : [...new Set([clusterIP ?? "", ...clusterIPs])];
  };

async function podsOf(reader: Reader, { metadata, spec }: DeepReadonly<Service>): Promise<string[]> {
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0) return [];
  const pods = await reader.list(Pod, { namespace: metadata.namespace });
  return pods
    .filter(({ metadata: { labels } }) => selector.every(([key, value]) => labels?.[key] === value))
    .filter((pod) => isCurrent(pod) && isReady(pod))
    .flatMap((pod) => ipv4Of(pod) ?? []);
}
