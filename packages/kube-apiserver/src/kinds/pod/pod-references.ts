import { isRecord } from "@kubewright/apimachinery";

type Members = Readonly<Record<string, unknown>>;

export const members = (value: unknown): Members => (isRecord(value) ? value : {});
export const list = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isRecord) : []);
/** Returns the nested value at a path, or `undefined` if it does not exist. */
export const path = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((inside, name) => members(inside)[name], value);

const containers = (spec: Members): Members[] => [
  ...list(spec.initContainers),
  ...list(spec.containers),
  ...list(spec.ephemeralContainers),
];

/** Returns the names of the Secrets to which a pod refers. @see kubernetes pkg/api/v1/pod VisitPodSecretNames */
export function secretNames(spec: Members): unknown[] {
  return [
    ...list(spec.imagePullSecrets).map(({ name }) => name),
    ...containers(spec).flatMap((container) => [
      ...list(container.envFrom).map((from) => path(from, "secretRef", "name")),
      ...list(container.env).map((env) => path(env, "valueFrom", "secretKeyRef", "name")),
    ]),
    ...list(spec.volumes).flatMap((volume) => [
      path(volume, "secret", "secretName"),
      path(volume, "azureFile", "secretName"),
      ...list(path(volume, "projected", "sources")).map((source) => path(source, "secret", "name")),
      path(volume, "csi", "nodePublishSecretRef", "name"),
      ...["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos", "cinder"].map((kind) =>
        path(volume, kind, "secretRef", "name"),
      ),
    ]),
  ];
}

/** Returns the names of the ConfigMaps to which a pod refers. */
export function configMapNames(spec: Members): unknown[] {
  return [
    ...containers(spec).flatMap((container) => [
      ...list(container.envFrom).map((from) => path(from, "configMapRef", "name")),
      ...list(container.env).map((env) => path(env, "valueFrom", "configMapKeyRef", "name")),
    ]),
    ...list(spec.volumes).flatMap((volume) => [
      path(volume, "configMap", "name"),
      ...list(path(volume, "projected", "sources")).map((source) => path(source, "configMap", "name")),
    ]),
  ];
}

/** Returns the names of the PersistentVolumeClaims to which a pod refers. */
export function claimNames(podName: string, spec: Members): unknown[] {
  return list(spec.volumes).map((volume) =>
    volume.ephemeral ? `${podName}-${volume.name}` : path(volume, "persistentVolumeClaim", "claimName"),
  );
}

/**
 * Returns the names of the ResourceClaims to which a pod refers, including claims created from templates.
 *
 * @see kubernetes dynamic-resource-allocation/resourceclaim Name
 */
export function resourceClaimNames(spec: Members, status: Members): unknown[] {
  const made = list(status.resourceClaimStatuses);
  return [
    ...list(spec.resourceClaims).map(({ name, resourceClaimName, resourceClaimTemplateName }) =>
      resourceClaimName === undefined && resourceClaimTemplateName !== undefined
        ? made.find((each) => each.name === name)?.resourceClaimName
        : resourceClaimName,
    ),
    path(status, "extendedResourceClaimStatus", "resourceClaimName"),
  ];
}

/**
 * Describes the first reference to an API object in a pod, if there is one. The description is the same as in upstream.
 *
 * @see kubernetes pkg/api/pod HasAPIObjectReference
 */
export function apiReference(spec: Members): string | undefined {
  if (spec.serviceAccountName) return "serviceaccounts";
  if (secretNames(spec).some((name) => name !== undefined)) return "secrets";
  if (configMapNames(spec).some((name) => name !== undefined)) return "configmaps";
  if (list(spec.resourceClaims).length > 0) return "resourceclaims";
  for (const volume of list(spec.volumes)) {
    for (const [kind, what] of Object.entries(volumeReferences)) if (volume[kind]) return what;
    for (const source of list(path(volume, "projected", "sources")))
      for (const [kind, what] of Object.entries(projectedReferences)) if (source[kind]) return what;
  }
  return undefined;
}

const volumeReferences = {
  csi: "csidrivers (via CSI volumes)",
  glusterfs: "endpoints (via glusterFS volumes)",
  persistentVolumeClaim: "persistentvolumeclaims",
  ephemeral: "persistentvolumeclaims (via ephemeral volumes)",
} as const;

const projectedReferences = {
  serviceAccountToken: "serviceaccounts (via projected volumes)",
  clusterTrustBundle: "clustertrustbundles",
  podCertificate: "podcertificates",
} as const;
