import { type DeepReadonly, ignoreNotFound } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { type Node, PersistentVolume, PersistentVolumeClaim, type Pod, StorageClass } from "@kubewright/client/kinds";
import { reserve } from "../volume/bind-volume.ts";
import { selectedNode } from "../volume/sync-claim.ts";
import { classOf, matchingVolume } from "../volume/volume-match.ts";
import { matchesNodeTerms } from "./node-affinity.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

/** The constraints that a pod's volumes impose on its scheduling. */
export class PodVolumes {
  /** Reason why the pod cannot run on any node yet, as worded by upstream's scheduler. */
  readonly problem: string | undefined;
  readonly #bound: readonly Volume[];
  /** Claims that are bound only when the pod has a node (`WaitForFirstConsumer`). */
  readonly #waiting: readonly Claim[];

  private constructor(problem: string | undefined, bound: readonly Volume[], waiting: readonly Claim[]) {
    this.problem = problem;
    this.#bound = bound;
    this.#waiting = waiting;
  }

  /** Reads a pod's volumes and claims, and returns their constraints. @see kubernetes pkg/scheduler/framework/plugins/volumebinding */
  static async of(pod: DeepReadonly<Pod>, client: ReadWriter): Promise<PodVolumes> {
    const bound: Volume[] = [];
    const waiting: Claim[] = [];
    const impossible = (problem: string): PodVolumes => new PodVolumes(problem, [], []);
    for (const name of claimNamesOf(pod)) {
      const { namespace } = pod.metadata;
      const claim = await client.get(PersistentVolumeClaim, { namespace, name }).catch(ignoreNotFound);
      if (!claim) return impossible(`persistentvolumeclaim "${name}" not found`);
      if (claim.metadata.deletionTimestamp !== undefined)
        return impossible(`persistentvolumeclaim "${name}" is being deleted`);
      const { volumeName } = claim.spec ?? {};
      const volume = volumeName
        ? await client.get(PersistentVolume, { name: volumeName }).catch(ignoreNotFound)
        : undefined;
      if (claim.status?.phase === "Lost")
        return impossible(`persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"`);
      if (volume && claim.status?.phase === "Bound") bound.push(volume);
      else if (await waitsForConsumer(claim, client)) waiting.push(claim);
      else return impossible("pod has unbound immediate PersistentVolumeClaims");
    }
    return new PodVolumes(undefined, bound, waiting);
  }

  /** Returns the reason why the volumes do not permit a node, or `undefined` if they permit it. */
  misfitOf(node: DeepReadonly<Node>): string | undefined {
    const chosen = (claim: Claim): string | undefined => claim.metadata.annotations?.[selectedNode];
    if (!this.#bound.every((volume) => isReachable(volume, node)))
      return "node(s) didn't match PersistentVolume's node affinity";
    if (this.#waiting.some((claim) => (chosen(claim) ?? node.metadata.name) !== node.metadata.name))
      return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    return undefined;
  }

  /**
   * For each waiting claim, reserves a volume that the node can reach. If there is no such volume, writes the node to the claim, so that
   * a volume is provisioned. Returns true if no claim was waiting, so that the pod can be bound.
   */
  async settleOn(node: DeepReadonly<Node>, client: ReadWriter): Promise<boolean> {
    if (this.#waiting.length === 0) return true;
    const volumes = await client.list(PersistentVolume);
    for (const claim of this.#waiting) {
      const volume = matchingVolume(claim, volumes, (each) => isReachable(each, node));
      if (volume) await reserve(client, volume, claim);
      else if (claim.metadata.annotations?.[selectedNode] === undefined)
        await client.patch(
          PersistentVolumeClaim,
          claim,
          { metadata: { annotations: { [selectedNode]: node.metadata.name } } },
          { optimisticLock: true },
        );
    }
    return false;
  }
}

const claimNamesOf = ({ metadata, spec }: DeepReadonly<Pod>): string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${metadata.name}-${name}`] : [],
  );

async function waitsForConsumer(claim: Claim, client: ReadWriter): Promise<boolean> {
  const storageClass = await client.get(StorageClass, { name: classOf(claim) || "none" }).catch(ignoreNotFound);
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer" && !claim.spec?.volumeName;
}

function isReachable({ spec }: Volume, node: DeepReadonly<Node>): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || matchesNodeTerms(terms, node);
}
