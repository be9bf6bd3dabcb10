import { ownMember } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";

const finalizers: Readonly<Record<string, string>> = {
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  persistentvolumes: "kubernetes.io/pv-protection",
  "volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
};

/**
 * Adds a finalizer to volumes and claims, so that a controller can prevent their deletion while they are in use.
 *
 * @see kubernetes plugin/pkg/admission/storage/storageobjectinuseprotection
 */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  resources: Object.keys(finalizers),
  handles: (operation) => operation === "CREATE",
  admit({ resource, subresource, object }) {
    const name = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
    const finalizer = subresource === "" ? ownMember(finalizers, name) : undefined;
    if (finalizer === undefined || !object || object.metadata.finalizers?.includes(finalizer)) return;
    object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  },
};
