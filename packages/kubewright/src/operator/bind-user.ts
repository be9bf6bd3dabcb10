import { type KubeObject, type Permission, unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type ProgramDescription, rbacOf } from "@kubewright/rbac";
import { type GivenRule, rulesInEffect } from "./bind-role.ts";

const group = "rbac.authorization.k8s.io";
/** Matches files with the roles for a program's users, which do not apply to the program itself. */
const ofUsers = /_(admin|editor|viewer|reader)_role(_binding)?\.yaml$/;

/**
 * Binds a user to the roles generated for a program, and to no others. Replaces the `system` namespace with `default`.
 */
export async function bindUser(
  admin: Client,
  description: ProgramDescription,
  user: string,
  observed: readonly Permission[] | undefined,
): Promise<void> {
  const bound: { readonly rules: readonly Partial<GivenRule>[]; readonly namespace: string | undefined }[] = [];
  for (const [path, objects] of rbacOf(description, { observed }).objects) {
    if (ofUsers.test(path)) continue;
    for (const { apiVersion, kind, metadata, rules, roleRef } of objects) {
      if (kind === "ServiceAccount") continue;
      const type = unstructured({ apiVersion, kind });
      const name = `${user}-${metadata.name}`;
      const namespace = metadata.namespace === "system" ? "default" : metadata.namespace;
      const object: KubeObject & { [field: string]: unknown } = {
        apiVersion,
        kind,
        metadata: { name, ...(namespace ? { namespace } : {}) },
        ...(rules ? { rules } : {}),
        ...(roleRef ? { roleRef: { ...roleRef, name: `${user}-${(roleRef as { name: string }).name}` } } : {}),
        ...(roleRef ? { subjects: [{ apiGroup: group, kind: "User", name: user }] } : {}),
      };
      await admin.apply(type, object, { fieldOwner: "kubewright-testing", force: true });
      if (rules) bound.push({ rules: rules as readonly Partial<GivenRule>[], namespace });
    }
  }
  for (const { rules, namespace } of bound) await rulesInEffect(admin, user, rules, namespace);
}
