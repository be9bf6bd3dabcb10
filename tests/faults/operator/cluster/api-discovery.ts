import { apiResources } from "./api-resource.ts";

/** Returns the answer to aggregated discovery. */
export function discoveryOf(path: "/api" | "/apis"): object {
  const resources = apiResources.filter(({ group }) => (group === "") === (path === "/api"));
  const items = [...Map.groupBy(resources, ({ group }) => group)].map(([name, members]) => ({
    metadata: { name },
    versions: [...Map.groupBy(members, ({ version }) => version)].map(([version, served]) => ({
      version,
      resources: served.map(({ plural, kind, group }) => ({
        resource: plural,
        responseKind: { group, version, kind },
        scope: "Namespaced",
        singularResource: kind.toLowerCase(),
        verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
        subresources: [{ subresource: "status" }],
      })),
    })),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}
