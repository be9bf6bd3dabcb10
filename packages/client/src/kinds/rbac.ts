import type {
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1Role,
  V1RoleBinding,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface ClusterRole extends Model<V1ClusterRole> {}
export const ClusterRole: Kind<ClusterRole> = builtIn(
  "rbac.authorization.k8s.io",
  "v1",
  "ClusterRole",
  "clusterroles",
  "Cluster",
);

export interface ClusterRoleBinding extends Model<V1ClusterRoleBinding> {}
export const ClusterRoleBinding: Kind<ClusterRoleBinding> = builtIn(
  "rbac.authorization.k8s.io",
  "v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
  "Cluster",
);

export interface Role extends Model<V1Role> {}
export const Role: Kind<Role> = builtIn("rbac.authorization.k8s.io", "v1", "Role", "roles", "Namespaced");

export interface RoleBinding extends Model<V1RoleBinding> {}
export const RoleBinding: Kind<RoleBinding> = builtIn(
  "rbac.authorization.k8s.io",
  "v1",
  "RoleBinding",
  "rolebindings",
  "Namespaced",
);
