import type { ServedResource } from "./resource.ts";

/** Kinds whose own update validation validates the whole object again, including its metadata. */
const wholeAgain: ReadonlySet<string> = new Set([
  "Secret",
  "ConfigMap",
  "Node",
  "Pod",
  "Namespace",
  "ServiceAccount",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Endpoints",
  "LimitRange",
  "ControllerRevision.apps",
  "Job.batch",
  "RuntimeClass.node.k8s.io",
  "Ingress.networking.k8s.io",
  "IngressClass.networking.k8s.io",
  "IPAddress.networking.k8s.io",
  "StorageClass.storage.k8s.io",
  "CSIStorageCapacity.storage.k8s.io",
  "VolumeAttributesClass.storage.k8s.io",
  "Role.rbac.authorization.k8s.io",
  "RoleBinding.rbac.authorization.k8s.io",
  "ClusterRole.rbac.authorization.k8s.io",
  "ClusterRoleBinding.rbac.authorization.k8s.io",
  "DeviceClass.resource.k8s.io",
  "ResourceClaim.resource.k8s.io",
  "ResourceClaimTemplate.resource.k8s.io",
  "ResourceSlice.resource.k8s.io",
  "CertificateSigningRequest.certificates.k8s.io",
  "APIService.apiregistration.k8s.io",
]);

/** Kinds whose own update validation does not check changes to metadata. */
const notChanges: ReadonlySet<string> = new Set(["Event", "PodDisruptionBudget.policy", "LimitRange"]);

const nameOf = ({ kind, group }: ServedResource): string => (group === "" ? kind : `${kind}.${group}`);

/**
 * Returns how often upstream validates the metadata of an updated object: once in the generic store, and for most kinds a second time. Each
 * cause occurs that many times in the error, but its message contains it only once.
 */
export const repeatedChecks = (resource: ServedResource): { readonly changes: number; readonly whole: number } => {
  const name = nameOf(resource);
  if (resource.origin === "custom") return { changes: 1, whole: 2 };
  return { changes: notChanges.has(name) ? 1 : 2, whole: wholeAgain.has(name) ? 2 : 1 };
};
