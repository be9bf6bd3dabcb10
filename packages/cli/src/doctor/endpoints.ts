import type { DeepReadonly } from "@kubewright/apimachinery";
import { EndpointSlice, Pod, type Service } from "@kubewright/client/kinds";
import type { Examined } from "./finding.ts";
import { pages } from "./pages.ts";

/**
 * Reports whether a service has a ready endpoint. In a development control plane, pods that run as processes have
 * loopback addresses, which are not allowed in endpoints. In this case, checks the pods that the service selects, like
 * that control plane's API server.
 */
export async function hasReadyEndpoint(service: DeepReadonly<Service>, examined: Examined): Promise<boolean> {
  const { name, namespace } = service.metadata;
  const labels = { "kubernetes.io/service-name": name };
  for await (const { endpoints } of pages(examined, EndpointSlice, { namespace, labels }))
    if (endpoints?.some(({ conditions }) => conditions?.ready !== false)) return true;
  const { selector } = service.spec;
  if (!selector || Object.keys(selector).length === 0) return false;
  for await (const { status } of pages(examined, Pod, { namespace, labels: selector }))
    if (isLoopback(status?.podIP) && status?.conditions?.some(isReady)) return true;
  return false;
}

const isLoopback = (ip = ""): boolean => ip.startsWith("127.") || ip === "::1";
const isReady = ({ type, status }: { readonly type: string; readonly status: string }): boolean =>
  type === "Ready" && status === "True";
