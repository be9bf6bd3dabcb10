import type { Manifest } from "./manifest.ts";

/** Objects that contain or serve others come first; webhooks, which would be called for all of the objects, come last. */
const ranks: Readonly<Record<string, number>> = {
  Namespace: 0,
  "CustomResourceDefinition.apiextensions.k8s.io": 1,
  "PriorityClass.scheduling.k8s.io": 2,
  "StorageClass.storage.k8s.io": 2,
  ServiceAccount: 3,
  "Role.rbac.authorization.k8s.io": 3,
  "ClusterRole.rbac.authorization.k8s.io": 3,
  "RoleBinding.rbac.authorization.k8s.io": 4,
  "ClusterRoleBinding.rbac.authorization.k8s.io": 4,
  Secret: 5,
  ConfigMap: 5,
  "MutatingWebhookConfiguration.admissionregistration.k8s.io": 8,
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io": 8,
};
const usual = 6;

export const definitionRank = 1;

export function rankOf({ object: { apiVersion, kind } }: Manifest): number {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  return ranks[`${kind}${group}`] ?? usual;
}

/** Returns the manifests in the order in which they can be applied; those of equal rank stay in the order in which they were written. */
export const ordered = (manifests: readonly Manifest[]): readonly Manifest[] =>
  [...manifests].sort((a, b) => rankOf(a) - rankOf(b));
