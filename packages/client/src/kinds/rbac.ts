import type {
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1Role,
  V1RoleBinding,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/**
 * Permissions on cluster-scoped objects and on objects in all namespaces. When bound by a RoleBinding, they apply to
 * one namespace only.
 */
export interface ClusterRole extends Model<V1ClusterRole> {}
/** The kind {@link ClusterRole}: resource `clusterroles` of `rbac.authorization.k8s.io/v1`, cluster-scoped. */
export const ClusterRole: Kind<ClusterRole> = builtIn(
  "rbac.authorization.k8s.io",
  "v1",
  "ClusterRole",
  "clusterroles",
  "Cluster",
);

/** Grants a ClusterRole to users, groups and ServiceAccounts, in all namespaces. */
export interface ClusterRoleBinding extends Model<V1ClusterRoleBinding> {}
/** The kind {@link ClusterRoleBinding}: resource `clusterrolebindings` of `rbac.authorization.k8s.io/v1`, cluster-scoped. */
export const ClusterRoleBinding: Kind<ClusterRoleBinding> = builtIn(
  "rbac.authorization.k8s.io",
  "v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
  "Cluster",
);

/** Permissions on the objects in a namespace. */
export interface Role extends Model<V1Role> {}
/** The kind {@link Role}: resource `roles` of `rbac.authorization.k8s.io/v1`, namespaced. */
export const Role: Kind<Role> = builtIn("rbac.authorization.k8s.io", "v1", "Role", "roles", "Namespaced");

/** Grants a Role or ClusterRole to users, groups and ServiceAccounts, in its own namespace. */
export interface RoleBinding extends Model<V1RoleBinding> {}
/** The kind {@link RoleBinding}: resource `rolebindings` of `rbac.authorization.k8s.io/v1`, namespaced. */
export const RoleBinding: Kind<RoleBinding> = builtIn(
  "rbac.authorization.k8s.io",
  "v1",
  "RoleBinding",
  "rolebindings",
  "Namespaced",
);
