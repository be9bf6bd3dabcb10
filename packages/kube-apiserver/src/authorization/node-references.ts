import { isRecord } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import {
  claimNames,
  configMapNames,
  members,
  path,
  resourceClaimNames,
  secretNames,
} from "../kinds/pod/pod-references.ts";

/** Kinds of objects that a pod may need from its node. */
export type ReferencedResource =
  | "secrets"
  | "configmaps"
  | "serviceaccounts"
  | "persistentvolumeclaims"
  | "resourceclaims";

/**
 * Whether a pod refers to an object of its namespace. Mirror pods refer to nothing: a node makes them itself, and must not gain
 * anything by that.
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

/** Secrets that a volume's drivers need, as `namespace/name`. @see kubernetes pkg/api/v1/persistentvolume VisitPVSecretNames */
export function volumeRefersToSecret(volume: ReadonlyObject, namespace: string, name: string): boolean {
  const spec = members(volume.spec);
  const claimNamespace = path(spec, "claimRef", "namespace");
  const refs = [
    ...["cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"].map((kind) =>
      path(spec, kind, "secretRef"),
    ),
    ...[
      "controllerPublishSecretRef",
      "nodePublishSecretRef",
      "nodeStageSecretRef",
      "controllerExpandSecretRef",
      "nodeExpandSecretRef",
    ].map((kind) => path(spec, "csi", kind)),
  ].filter(isRecord);
  if (path(spec, "azureFile", "secretName") === name)
    return (path(spec, "azureFile", "secretNamespace") ?? claimNamespace) === namespace;
  return refs.some((ref) => ref.name === name && (ref.namespace || claimNamespace) === namespace);
}
