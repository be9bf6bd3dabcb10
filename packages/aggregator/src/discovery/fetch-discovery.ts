import type { Clock } from "@kubewright/clock";
import { type ApiService, pathOf } from "../service/api-service.ts";
import { type BoundedResponse, boundedGet, type DocumentLimits } from "../transport/bounded-get.ts";
import type { ExtensionEnd } from "../transport/extension-end.ts";
import { entryOfAggregated, entryOfLegacy, type VersionEntry } from "./version-entry.ts";

const timeoutMs = 5_000;
const document: DocumentLimits = { maxBytes: 4 * 1024 * 1024, maxValues: 500_000 };
const user = { name: "system:kube-aggregator", groups: ["system:masters"] };
const accept = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join();

/**
 * Fetches the resources in a version from an extension server, in the aggregated format if the server supports it,
 * otherwise in the older one. A version that the server does not list has no resources.
 *
 * @throws {Error} if the server is unreachable or its response is not a discovery document
 *
 * @see kube-aggregator pkg/apiserver/handler_discovery.go fetchFreshDiscoveryForService
 */
export async function fetchDiscovery(
  end: ExtensionEnd,
  { group, version }: Pick<ApiService, "group" | "version">,
  clock: Clock,
  signal: AbortSignal,
): Promise<VersionEntry> {
  const limits = { user, ...document, timeoutMs, clock, signal };
  const aggregated = await boundedGet(end, { path: "/apis", headers: { accept }, ...limits });
  if (aggregated.code === 503) throw new Error("the extension server responded with status 503");
  if (aggregated.code === 200 && /g=apidiscovery\.k8s\.io/.test(String(aggregated.headers["content-type"])))
    return entryOfAggregated(JSON.parse(aggregated.text), group, version) ?? { version };
  const path = pathOf({ group, version });
  const legacy: BoundedResponse = await boundedGet(end, { path, headers: { accept: "application/json" }, ...limits });
  if (legacy.code !== 200) throw new Error(`the extension server responded with status ${legacy.code} to ${path}`);
  return entryOfLegacy(JSON.parse(legacy.text), version);
}
