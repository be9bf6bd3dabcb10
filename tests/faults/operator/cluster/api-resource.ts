import { apiKinds } from "sdewan-operator";

/** A resource of the simulated API server. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

const core = (plural: string, kind: string): ApiResource => ({ group: "", version: "v1", plural, kind });
const apps = (plural: string, kind: string): ApiResource => ({ group: "apps", version: "v1", plural, kind });

export const pods: ApiResource = core("pods", "Pod");
export const secrets: ApiResource = core("secrets", "Secret");
export const deployments: ApiResource = apps("deployments", "Deployment");
export const replicaSets: ApiResource = apps("replicasets", "ReplicaSet");
export const leases: ApiResource = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease" };
export const events: ApiResource = { group: "events.k8s.io", version: "v1", plural: "events", kind: "Event" };

const rbac = (plural: string, kind: string): ApiResource => ({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural,
  kind,
});

export const roles: ApiResource = rbac("roles", "Role");
export const clusterRoles: ApiResource = rbac("clusterroles", "ClusterRole");
export const roleBindings: ApiResource = rbac("rolebindings", "RoleBinding");
export const clusterRoleBindings: ApiResource = rbac("clusterrolebindings", "ClusterRoleBinding");

/** The resources of the operator's own kinds. */
export const customResources: readonly ApiResource[] = apiKinds.map(({ group, version, kind, plural }) => {
  if (plural === undefined) throw new Error(`${kind} has no plural`);
  return { group, version, kind, plural };
});

export const apiResources: readonly ApiResource[] = [
  pods,
  secrets,
  deployments,
  replicaSets,
  leases,
  events,
  roles,
  clusterRoles,
  roleBindings,
  clusterRoleBindings,
  ...customResources,
];

const byKind = new Map(apiResources.map((resource) => [resource.kind, resource]));

/** @throws {Error} if the server does not have the kind */
export function resourceOf(kind: string): ApiResource {
  const found = byKind.get(kind);
  if (!found) throw new Error(`unknown kind ${kind}`);
  return found;
}

/** Returns the `apiVersion` of its objects. */
export const apiVersionOf = ({ group, version }: ApiResource): string => (group ? `${group}/${version}` : version);

/** Returns the path of the objects in a namespace, or of cluster-scoped objects. */
export const collectionPath = (resource: ApiResource, namespace: string): string =>
  `/${resource.group ? "apis" : "api"}/${apiVersionOf(resource)}/${namespace ? `namespaces/${namespace}/` : ""}${resource.plural}`;
