import { jsonEqual, type Unstructured } from "@kubewright/apimachinery";
import type { GenericServer } from "@kubewright/apiserver/server";
import { ensureObjects, serverContext } from "@kubewright/apiserver/server";
import type { Clock } from "@kubewright/clock";

/**
 * Writes the server's address to the Endpoints and the EndpointSlice of the `kubernetes` Service, replacing any earlier
 * addresses.
 *
 * @throws {StatusError} 422 if the address is not allowed in endpoints, for example because it is a loopback address
 *
 * @see kubernetes pkg/controlplane/reconcilers
 */
export async function publishEndpoints(
  servers: readonly GenericServer[],
  clock: Clock,
  address: string,
  port: number,
): Promise<void> {
  const wanted = endpointsOf(address, port);
  await ensureObjects(servers, wanted, clock); // the slice comes first because it rejects forbidden addresses
  const context = serverContext(clock, "default");
  for (const object of wanted) {
    const scope = servers
      .flatMap(({ resources }) => [...resources.scopes()])
      .find(({ resource }) => isOf(resource, object));
    if (!scope) continue;
    const { metadata: _metadata, ...content } = object;
    const current = await scope.store.get("default", "kubernetes");
    if (Object.entries(content).every(([name, value]) => jsonEqual(value, current[name]))) continue;
    const transform = (old: unknown): Unstructured => ({ ...structuredClone(old as Unstructured), ...content });
    await scope.store.update({ name: "kubernetes", part: "main", transform }, context);
  }
}

const isOf = (
  resource: { group: string; version: string; kind: string },
  { apiVersion, kind }: Unstructured,
): boolean =>
  resource.kind === kind &&
  apiVersion === (resource.group ? `${resource.group}/${resource.version}` : resource.version);

function endpointsOf(address: string, port: number): Unstructured[] {
  const ports = [{ name: "https", port, protocol: "TCP" }];
  const named = (labels: Record<string, string>) => ({ name: "kubernetes", namespace: "default", labels });
  return [
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: named({ "kubernetes.io/service-name": "kubernetes" }),
      addressType: address.includes(":") ? "IPv6" : "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports,
    },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: named({ "endpointslice.kubernetes.io/skip-mirror": "true" }),
      subsets: [{ addresses: [{ ip: address }], ports }],
    },
  ];
}
