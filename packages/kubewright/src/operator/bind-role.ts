import type { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, SubjectAccessReview } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";

/** A rule of a {@link GivenRole}. */
export interface GivenRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

/** A role whose rules apply in all namespaces, such as a ClusterRole. */
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
  await rulesInEffect(admin, user, rules);
}

/** Maximum time in milliseconds until a server applies new roles. */
const rolesTimeoutMs = 10_000;

/**
 * Waits until a user has the permissions in the rules, because kube-apiserver takes a moment to apply new roles and
 * could otherwise reject the user's first requests.
 *
 * @throws {Error} if the user still lacks a permission after 10 seconds
 */
export async function rulesInEffect(
  admin: Client,
  user: string,
  rules: readonly Partial<GivenRule>[],
  namespace?: string,
): Promise<void> {
  const deadline = systemClock.monotonic() + rolesTimeoutMs;
  for (const { apiGroups: [group] = [], resources: [path = ""] = [], resourceNames: [name] = [], verbs } of rules) {
    const [resource, subresource] = path.split("/");
    const verb = verbs?.[0];
    if (!resource || !verb) continue;
    const resourceAttributes = {
      group: group ?? "",
      resource,
      verb,
      ...(subresource ? { subresource } : {}),
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
    };
    const isAllowed = async (): Promise<boolean> =>
      (await admin.create(SubjectAccessReview, { metadata: {}, spec: { user, resourceAttributes } })).status?.allowed ??
      false;
    while (!(await isAllowed())) {
      if (systemClock.monotonic() > deadline)
        throw new Error(`the role for ${user} did not take effect: ${verb} ${path}`);
      await systemClock.sleep(20);
    }
  }
}

const mutable = ({ apiGroups, resources, resourceNames, verbs }: GivenRule) => ({
  apiGroups: [...apiGroups],
  resources: [...resources],
  verbs: [...verbs],
  ...(resourceNames ? { resourceNames: [...resourceNames] } : {}),
});
