import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import {
  claimNames,
  configMapNames,
  members,
  path,
  resourceClaimNames,
  secretNames,
} from "../kinds/pod/pod-references.ts";

/** Kinds of objects to which a pod may need access through its node. */
export type ReferencedResource =
  | "secrets"
  | "configmaps"
  | "serviceaccounts"
  | "persistentvolumeclaims"
  | "resourceclaims";

/**
 * Reports whether a pod refers to an object in its namespace. For mirror pods, the result is always false, because
 * nodes create them themselves and must not gain access to objects through them.
 *
 * @see kubernetes plugin/pkg/auth/authorizer/node Graph.AddPod
 */
export function podRefersTo(pod: ReadonlyObject, resource: ReferencedResource, name: string): boolean {
  if (pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return false;
  const spec = members(pod.spec);
  switch (resource) {
    case "secrets":
      return secretNames(spec).includes(name);
    case "configmaps":
      return configMapNames(spec).includes(name);
    case "serviceaccounts":
      return spec.serviceAccountName === name;
    case "persistentvolumeclaims":
      return claimNames(pod.metadata.name, spec).includes(name);
    case "resourceclaims":
      return resourceClaimNames(spec, members(pod.status)).includes(name);
  }
}

/** Volume types whose secret is in the namespace of the claim unless another namespace is specified. */
const besideClaim = ["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"] as const;
const nodeSecrets = ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"] as const;

/**
 * Reports whether a volume refers to a Secret that is needed on the node. Secrets that only the volume driver's
 * controller needs do not count.
 *
 * @see kubernetes pkg/api/v1/persistentvolume VisitPVSecretNames kubeletVisible
 */
export function volumeRefersToSecret(volume: ReadonlyObject, namespace: string, name: string): boolean {
  const spec = members(volume.spec);
  const claimNamespace = path(spec, "claimRef", "namespace");
  const { secretName, secretNamespace } = members(spec.azureFile);
  const refs = [
    { name: secretName, namespace: secretNamespace || claimNamespace },
    ...besideClaim.map((kind) => {
      const ref = members(path(spec, kind, "secretRef"));
      return { name: ref.name, namespace: ref.namespace || claimNamespace };
    }),
    ...["cinder", "storageos"].map((kind) => members(path(spec, kind, "secretRef"))),
    ...nodeSecrets.map((part) => members(path(spec, "csi", part))),
  ];
  return refs.some((ref) => ref.name === name && ref.namespace === namespace);
}
