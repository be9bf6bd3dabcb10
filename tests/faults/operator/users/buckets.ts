import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "../cluster/api-resource.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { site } from "../cluster/workloads.ts";

/** A user who writes resources. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

export const bucketLabel = "sdewan-bucket-type";
export const buckets = ["blue", "green", "red-1"] as const;

/** The user name of the operator on the server. */
const operatorUser = "system:serviceaccount:sdewan-system:sdewan-controller-manager";
export const operator: User = { username: operatorUser, groups: [] };
/** Has a role in the namespace, which changes occasionally. */
const jane: User = { username: "jane", groups: [] };
/** Member of a group that has a ClusterRole in one namespace. */
const joe: User = { username: "joe", groups: ["netops"] };
/** Has the name of a group, but no role. */
const stranger: User = { username: "netops", groups: ["system:authenticated"] };
export const users: readonly User[] = [operator, jane, joe, stranger];

const grant = "sdewan-bucket-type-permission";
const team = { namespace: site, name: "team" };

const rbac = "rbac.authorization.k8s.io";
const reference = (kind: string, name: string) => ({ apiGroup: rbac, kind, name });

/** Creates the initial roles. */
export async function putRoles(store: Cluster): Promise<void> {
  const annotated = (name: string, permission: object) => ({
    metadata: { name, annotations: { [grant]: JSON.stringify(permission) } },
  });
  await store.create(roles, site, annotated(team.name, { "*": ["blue"] }));
  await store.create(clusterRoles, "", annotated("netops", { "firewall*": ["red-*", "blue"] }));
  await store.create(clusterRoles, "", annotated("operator", { "*": ["*"] }));
  await bindTeam(store);
  await store.create(roleBindings, site, {
    metadata: { name: "netops" },
    roleRef: reference("ClusterRole", "netops"),
    subjects: [{ kind: "Group", apiGroup: rbac, name: "netops" }],
  });
  await store.create(clusterRoleBindings, "", {
    metadata: { name: "operator" },
    roleRef: reference("ClusterRole", "operator"),
    subjects: [{ kind: "ServiceAccount", namespace: "sdewan-system", name: "sdewan-controller-manager" }],
  });
}

async function bindTeam(store: Cluster): Promise<void> {
  await store.create(roleBindings, site, {
    metadata: { name: team.name },
    roleRef: reference("Role", team.name),
    subjects: [{ kind: "User", apiGroup: rbac, name: jane.username }],
  });
}

/**
 * Gives jane a role, or removes it.
 *
 * @returns true if she has it now
 */
export async function toggleBinding(store: Cluster): Promise<boolean> {
  if (store.find(roleBindings, team)) {
    await store.delete(roleBindings, team);
    return false;
  }
  await bindTeam(store);
  return true;
}

/** Changes the bucket that jane's role grants. */
export async function grantTeam(store: Cluster, bucket: string): Promise<void> {
  await store.patch(roles, team, { metadata: { annotations: { [grant]: JSON.stringify({ "*": [bucket] }) } } });
}

/** Reports whether a user may write in a bucket, computed independently of the operator. */
export function mayUse(store: Cluster, { username }: User, namespace: string, plural: string, bucket: string): boolean {
  if (username === operatorUser) return true;
  if (namespace !== site) return false;
  if (username === "joe") return plural.startsWith("firewall") && (bucket === "blue" || bucket.startsWith("red-"));
  if (username !== "jane" || !store.find(roleBindings, team)) return false;
  return store.find(roles, team)?.metadata.annotations?.[grant] === JSON.stringify({ "*": [bucket] });
}

/** Reports whether the permissions of a user change during a schedule. */
export const isMovable = ({ username }: User): boolean => username === jane.username;
