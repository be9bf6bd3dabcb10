import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { isCurrent } from "./pod-state.ts";

/** The CNF of a purpose: its Deployment and the pods that run it now, by name. */
export interface Cnf {
  readonly deployment: DeepReadonly<Deployment>;
  readonly pods: readonly DeepReadonly<Pod>[];
}

/** Several Deployments claim one purpose. */
export class AmbiguousCnfError extends Error {
  override readonly name = "AmbiguousCnfError";
}

/**
 * Finds the CNF of a purpose, in whatever namespace it is, by owner references from its Deployment to ReplicaSets to pods.
 *
 * @returns nothing if there is none
 * @throws {AmbiguousCnfError} if several Deployments claim the purpose
 */
export async function findCnf(reader: Reader, purpose: string | undefined): Promise<Cnf | undefined> {
  if (purpose === undefined) return undefined;
  const claimed = await reader.list(Deployment, { labels: { [purposeLabel]: purpose } });
  const [deployment, ...others] = claimed.filter(({ metadata }) => !metadata.deletionTimestamp);
  if (!deployment) return undefined;
  if (others.length > 0) throw new AmbiguousCnfError("More than one deployment exists");
  const { namespace } = deployment.metadata;
  const replicaSets = ownedBy([deployment], await reader.list(ReplicaSet, { namespace }));
  const pods = ownedBy(replicaSets, await reader.list(Pod, { namespace })).filter(isCurrent);
  return { deployment, pods: pods.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)) };
}

interface Owned {
  readonly metadata: {
    readonly uid?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
}

function ownedBy<T extends Owned>(owners: readonly Owned[], objects: readonly T[]): T[] {
  const uids = new Set(owners.map(({ metadata }) => metadata.uid));
  return objects.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ controller, uid }) => controller && uids.has(uid)),
  );
}
