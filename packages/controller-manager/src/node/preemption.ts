import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Node } from "@kubewright/client/kinds";
import { Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ReconcileContext } from "@kubewright/controller";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { misfitOf } from "./node-fit.ts";

type PodView = DeepReadonly<Pod>;

const priorityOf = ({ spec }: PodView): number => spec.priority ?? 0;

/**
 * The fewest, least important pods that have to leave a node for a more important one; `undefined` if that would not help or the pod may
 * not displace others.
 *
 * @see kubernetes pkg/scheduler/framework/plugins/defaultpreemption SelectVictimsOnNode
 */
export function victimsFor(
  pod: PodView,
  node: DeepReadonly<Node>,
  neighbours: readonly PodView[],
): PodView[] | undefined {
  if (pod.spec.preemptionPolicy === "Never") return undefined;
  const lesser = neighbours.filter((each) => priorityOf(each) < priorityOf(pod));
  let kept = neighbours.filter((each) => !lesser.includes(each));
  if (lesser.length === 0 || misfitOf(pod, node, kept)) return undefined;
  const victims: PodView[] = [];
  for (const each of lesser.toSorted((a, b) => priorityOf(b) - priorityOf(a))) {
    if (misfitOf(pod, node, [...kept, each])) victims.push(each);
    else kept = [...kept, each];
  }
  return victims;
}

/** Deletes pods that make room for another one, and says why on each. */
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
