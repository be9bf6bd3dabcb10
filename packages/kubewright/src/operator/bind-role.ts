import type { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding } from "@kubewright/client/kinds";

/** A rule of a {@link GivenRole}. */
export interface GivenRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

/** Rules that apply in all namespaces. A ClusterRole satisfies this interface. */
export interface GivenRole {
  readonly metadata: { readonly name: string };
  readonly rules: readonly GivenRule[];
}

/** Binds a user to a hand-written role. */
export async function bindRole(admin: Client, { metadata, rules }: GivenRole, user: string): Promise<void> {
  const options = { fieldOwner: "kubewright-testing", force: true };
  const name = `${user}-${metadata.name}`;
  await admin.apply(ClusterRole, { metadata: { name }, rules: rules.map(mutable) }, options);
  const group = "rbac.authorization.k8s.io";
  const subjects = [{ apiGroup: group, kind: "User", name: user }];
  const roleRef = { apiGroup: group, kind: "ClusterRole", name };
  await admin.apply(ClusterRoleBinding, { metadata: { name }, roleRef, subjects }, options);
}

const mutable = ({ apiGroups, resources, resourceNames, verbs }: GivenRule) => ({
  apiGroups: [...apiGroups],
  resources: [...resources],
  verbs: [...verbs],
  ...(resourceNames ? { resourceNames: [...resourceNames] } : {}),
});
