import { operatorUser } from "../cluster/api-connection.ts";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "../cluster/api-resource.ts";
import type { ApiStore } from "../cluster/api-store.ts";
import { site } from "../cluster/workloads.ts";

/** Somebody who writes resources. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

export const bucketLabel = "sdewan-bucket-type";
export const buckets = ["blue", "green", "red-1"] as const;

export const operator: User = { username: operatorUser, groups: [] };
/** Has a role of the namespace, which is changed now and then. */
const jane: User = { username: "jane", groups: [] };
/** Is of a group that has a role of the cluster, in one namespace. */
const joe: User = { username: "joe", groups: ["netops"] };
/** Has the name of a group, and no role. */
const stranger: User = { username: "netops", groups: ["system:authenticated"] };
export const users: readonly User[] = [operator, jane, joe, stranger];

const grant = "sdewan-bucket-type-permission";
const team = { namespace: site, name: "team" };

const reference = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });

/** The roles that there are from the start. */
export function putRoles(store: ApiStore): void {
  const annotated = (name: string, permission: object) => ({
    metadata: { name, annotations: { [grant]: JSON.stringify(permission) } },
  });
  store.create(roles, site, annotated(team.name, { "*": ["blue"] }));
  store.create(clusterRoles, "", annotated("netops", { "firewall*": ["red-*", "blue"] }));
  store.create(clusterRoles, "", annotated("operator", { "*": ["*"] }));
  bindTeam(store);
  store.create(roleBindings, site, {
    metadata: { name: "netops" },
    roleRef: reference("ClusterRole", "netops"),
    subjects: [{ kind: "Group", name: "netops" }],
  });
  store.create(clusterRoleBindings, "", {
    metadata: { name: "operator" },
    roleRef: reference("ClusterRole", "operator"),
    subjects: [{ kind: "ServiceAccount", namespace: "sdewan-system", name: "sdewan-controller-manager" }],
  });
}

function bindTeam(store: ApiStore): void {
  store.create(roleBindings, site, {
    metadata: { name: team.name },
    roleRef: reference("Role", team.name),
    subjects: [{ kind: "User", name: jane.username }],
  });
}

/** Gives jane a role, or takes it from her. @returns whether she has it now */
export function toggleBinding(store: ApiStore): boolean {
  if (store.find(roleBindings, team)) {
    store.delete(roleBindings, team);
    return false;
  }
  bindTeam(store);
  return true;
}

/** What jane's role is for from now on. */
export function grantTeam(store: ApiStore, bucket: string): void {
  store.patch(roles, team, { metadata: { annotations: { [grant]: JSON.stringify({ "*": [bucket] }) } } });
}

/** Whether a user may write what is in a bucket, by hand and not by the operator's own search. */
export function mayUse(
  store: ApiStore,
  { username }: User,
  namespace: string,
  plural: string,
  bucket: string,
): boolean {
  if (username === operatorUser) return true;
  if (namespace !== site) return false;
  if (username === "joe") return plural.startsWith("firewall") && (bucket === "blue" || bucket.startsWith("red-"));
  if (username !== "jane" || !store.find(roleBindings, team)) return false;
  return store.find(roles, team)?.metadata.annotations?.[grant] === JSON.stringify({ "*": [bucket] });
}

/** Whether what a user may do changes while it is played. */
export const isMovable = ({ username }: User): boolean => username === jane.username;
