import { notFound } from "@kubewright/apimachinery";
import type { ApiRequest, ResourceScope } from "@kubewright/apiserver/endpoints";
import { listOptions, respondList, respondObject } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { predicateOf } from "@kubewright/apiserver/registry";

/**
 * Ports at which upstream checks the other components. Nothing listens on these ports, because the controllers here are not separate
 * processes.
 */
const components: readonly (readonly [name: string, port: number])[] = [
  ["scheduler", 10_259],
  ["controller-manager", 10_257],
];

const refused = (port: number): string =>
  `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`;

const status = (name: string, isHealthy: boolean, message: string): ReadonlyObject => ({
  kind: "ComponentStatus",
  apiVersion: "v1",
  metadata: { name },
  conditions: [{ type: "Healthy", status: isHealthy ? "True" : "False", message }],
});

const statuses: readonly ReadonlyObject[] = [
  ...components.map(([name, port]) => status(name, false, refused(port))),
  status("etcd-0", true, "ok"),
];

/**
 * Serves `componentstatuses`, whose content is determined for each request.
 *
 * @see kubernetes pkg/registry/core/componentstatus
 */
export async function readComponents(request: ApiRequest, scope: ResourceScope): Promise<void> {
  const { name } = request.info;
  if (name === "") {
    const { selection } = listOptions(request.query, scope, false);
    const { matches } = predicateOf(selection, scope.resource.strategy);
    const items = statuses.filter((object) => matches(object));
    return respondList(request, scope, { items, metadata: {} });
  }
  const found = statuses.find(({ metadata }) => metadata.name === name);
  if (!found) throw notFound({ group: "", resource: "componentstatus" }, name);
  respondObject(request, scope, 200, found);
}
