import {
  controllerOf,
  type DeepReadonly,
  ignoreNotFound,
  isObjectName,
  isRecord,
  type KubeObject,
  type OwnerReference,
} from "@kubewright/apimachinery";

/** Reads the object to which an owner reference refers. */
export type ScaleReader = (
  reference: DeepReadonly<OwnerReference>,
  namespace: string | undefined,
) => Promise<KubeObject>;

/**
 * Returns the total number of replicas requested by the owners of the given pods. If a replica set belongs to a
 * deployment, the deployment counts as the owner.
 *
 * @see kubernetes pkg/controller/disruption getExpectedScale
 */
export async function expectedScale(
  owners: readonly DeepReadonly<OwnerReference>[],
  namespace: string | undefined,
  read: ScaleReader,
): Promise<number> {
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  for (const reference of owners) {
    if (seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const owner = await find(reference, namespace, read);
    if (!owner) continue;
    const above = reference.kind === "ReplicaSet" ? controllerOf(owner) : undefined;
    const deployment = above?.kind === "Deployment" ? await find(above, namespace, read) : undefined;
    const scaled = deployment ?? owner;
    const replicas = isRecord(scaled.spec) ? scaled.spec.replicas : undefined;
    scales.set(scaled.metadata.uid ?? "", typeof replicas === "number" ? replicas : 0);
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}

async function find(
  reference: DeepReadonly<OwnerReference>,
  namespace: string | undefined,
  read: ScaleReader,
): Promise<(KubeObject & { readonly spec?: unknown }) | undefined> {
  if (!isObjectName(reference.name)) return undefined;
  const found = await read(reference, namespace).catch(ignoreNotFound);
  return found?.metadata.uid === reference.uid ? found : undefined;
}
