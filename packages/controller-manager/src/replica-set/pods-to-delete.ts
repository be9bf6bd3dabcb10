import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { isPodReady } from "../workload/pod-state.ts";

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Returns the `count` pods to delete first. Pods without a node come first, followed by pods that are not running, pods that are not ready,
 * pods with a lower deletion cost, pods that became ready most recently, pods with the most restarts, and finally the newest pods.
 *
 * @see kubernetes pkg/controller/controller_utils.go ActivePodsWithRanks
 */
export function podsToDelete(pods: readonly DeepReadonly<Pod>[], count: number): DeepReadonly<Pod>[] {
  return pods.toSorted(compare).slice(0, count);
}

function compare(a: DeepReadonly<Pod>, b: DeepReadonly<Pod>): number {
  return (
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    rankOf(a) - rankOf(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    costOf(a) - costOf(b) ||
    readySince(b).localeCompare(readySince(a)) ||
    restartsOf(b) - restartsOf(a) ||
    (b.metadata.creationTimestamp ?? "").localeCompare(a.metadata.creationTimestamp ?? "")
  );
}

const rankOf = ({ status }: DeepReadonly<Pod>): number => ownMember(phaseRank, status?.phase ?? "Pending") ?? 1;
const costOf = ({ metadata }: DeepReadonly<Pod>): number =>
  Number.parseInt(metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? "0", 10) || 0;
const readySince = ({ status }: DeepReadonly<Pod>): string =>
  status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
const restartsOf = ({ status }: DeepReadonly<Pod>): number =>
  Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
