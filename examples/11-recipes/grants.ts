import {
  asReconciler,
  controllerManagedBy,
  controllerReference,
  type Manager,
} from "kubewright";
import { ClusterRole, RoleBinding } from "kubewright/kinds";
import { Shop } from "./shop.ts";

/** Lets the group with a shop's name read its namespace. */
export function addKeyholders(manager: Manager): void {
  const apiGroup = "rbac.authorization.k8s.io";
  const reconcile = asReconciler(Shop, async (shop, { client }) => {
    const { name, namespace } = shop.metadata;
    await client.apply(RoleBinding, {
      metadata: {
        namespace,
        name: `${name}-keyholders`,
        ownerReferences: [controllerReference(shop)],
      },
      roleRef: { apiGroup, kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup, kind: "Group", name }],
    });
  });
  // #region bind
  controllerManagedBy(manager)
    .for(Shop)
    .owns(RoleBinding)
    .needs(RoleBinding, ["create", "patch"])
    .needs(ClusterRole, ["bind"], { names: ["view"] })
    .complete(reconcile);
  // #endregion bind
}
