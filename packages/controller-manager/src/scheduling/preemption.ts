import { byKey, type DeepReadonly } from "@kubewright/apimachinery";
import type { Node } from "@kubewright/client/kinds";
import { Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ReconcileContext } from "@kubewright/controller";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { type Misfit, misfitOf } from "./node-fit.ts";

type PodView = DeepReadonly<Pod>;

/** Returns a pod's priority. Higher numbers are more important. */
export const priorityOf = ({ spec }: PodView): number => spec.priority ?? 0;

/**
 * Returns the pods to delete from a node to make room for a more important pod: as few and as unimportant ones as
 * possible. Returns `undefined` if this would not make enough room, or if the pod must not displace others.
 *
 * @param misfit returns the reason why the pod does not fit on the node together with the given other pods. Default: {@link misfitOf}
 *
 * @see kubernetes pkg/scheduler/framework/plugins/defaultpreemption SelectVictimsOnNode
 */
export function victimsFor(
  pod: PodView,
  node: DeepReadonly<Node>,
  neighbours: readonly PodView[],
  misfit: (kept: readonly PodView[]) => Misfit | undefined = (kept) => misfitOf(pod, node, kept),
): PodView[] | undefined {
  if (pod.spec.preemptionPolicy === "Never") return undefined;
  const lesser = neighbours.filter((each) => priorityOf(each) < priorityOf(pod));
  let kept = neighbours.filter((each) => !lesser.includes(each));
  if (lesser.length === 0 || misfit(kept)) return undefined;
  const victims: PodView[] = [];
  for (const each of lesser.toSorted((a, b) => priorityOf(b) - priorityOf(a) || byKey(a, b))) {
    if (misfit([...kept, each])) victims.push(each);
    else kept = [...kept, each];
  }
  return victims;
}

/** A node, and the pods that must be deleted to make room for another pod there. */
export interface PreemptionChoice {
  readonly node: string;
  readonly victims: readonly PodView[];
}

/**
 * Returns the node on which the least important pods would be displaced. Compares the highest priority among these
 * pods, then the sum of their priorities, then their number; lower wins in each case.
 *
 * @see kubernetes pkg/scheduler/framework/preemption pickOneNodeForPreemption
 */
export function leastHarm(choices: readonly PreemptionChoice[]): PreemptionChoice | undefined {
  const harm = ({ victims }: PreemptionChoice): readonly [number, number, number] => {
    const priorities = victims.map(priorityOf);
    return [Math.max(...priorities), priorities.reduce((sum, each) => sum + each + 2 ** 31, 0), victims.length];
  };
  const [least] = choices.toSorted((a, b) => {
    const [one, other] = [harm(a), harm(b)];
    return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
  });
  return least;
}

/** Deletes pods to make room for another pod, and emits an event about each of them. */
export async function preempt(
  pod: PodView,
  node: string,
  victims: readonly PodView[],
  { client, recorder }: ReconcileContext,
  clock: Clock,
): Promise<void> {
  await client.status.patch(Pod, pod, { nominatedNodeName: node }).catch(ignoreGone);
  for (const victim of victims) {
    if (victim.metadata.deletionTimestamp !== undefined) continue;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${pod.spec.schedulerName ?? "default-scheduler"}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: rfc3339(clock.now()),
    };
    const others = (victim.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
    const conditions = [...others, condition] as NonNullable<NonNullable<Pod["status"]>["conditions"]>;
    await client.status.patch(Pod, victim, { conditions }, { type: "strategic" }).catch(ignoreGone);
    await client.delete(Pod, victim, { preconditions: { uid: victim.metadata.uid } }).catch(ignoreGone);
    recorder.event(victim, {
      reason: "Preempted",
      note: `Preempted by pod ${pod.metadata.uid} on node ${node}`,
      action: "Preempting",
    });
  }
}
