import {
  type Condition,
  type DeepReadonly,
  findCondition,
  ignoreNotFound,
  isConflict,
  keyOf,
  mutableCopy,
  type ObjectKey,
  setCondition,
} from "@kubewright/apimachinery";
import { Node, Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { enqueueRequestsFromMapFunc, type ReconcileContext, type Reconciler } from "@kubewright/controller";
import { isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { type Misfit, misfitOf, needsRoom } from "./node-fit.ts";
import { preempt, victimsFor } from "./preemption.ts";

type PodView = DeepReadonly<Pod>;

/** So many bindings are remembered before the cache is asked which of them it has seen. */
const mostRemembered = 1_000;

/**
 * Gives a pod that nobody runs the next node that fits: its labels, taints, resources and host ports. A more important pod displaces
 * less important ones. Preferences, spreading, affinity between pods and volumes do not count.
 *
 * What was bound and is not in the cache yet is remembered, so that nothing is given away twice.
 *
 * @see kubernetes pkg/scheduler
 */
export function schedulingReconciler(clock: Clock): Reconciler {
  const bound = new Map<string, string>();
  let turn = 0;
  return async (key, context) => {
    const pod = await context.client.get(Pod, key).catch(ignoreNotFound);
    if (!pod || !isUnscheduled(pod)) return;
    const isDemanding = needsRoom(pod);
    const all = isDemanding || bound.size > mostRemembered ? await context.client.list(Pod) : [];
    for (const { metadata, spec } of all) if (spec.nodeName) bound.delete(metadata.uid ?? "");
    const neighboursOf = ({ metadata }: DeepReadonly<Node>): PodView[] =>
      isDemanding ? all.filter((each) => nodeOf(each, bound) === metadata.name && !hasFinished(each)) : [];
    const listed = await context.client.list(Node);
    const first = listed.length > 0 ? turn++ % listed.length : 0;
    const nodes = [...listed.slice(first), ...listed.slice(0, first)];
    const misfits: Misfit[] = [];
    for (const node of nodes) {
      const misfit = misfitOf(pod, node, neighboursOf(node));
      if (misfit) misfits.push(misfit);
      else return await bind(key, pod, node.metadata.name, bound, context);
    }
    await reportUnschedulable(pod, nodes.length, misfits, clock, context);
    for (const [i, node] of nodes.entries()) {
      const victims = misfits[i]?.isForPods ? victimsFor(pod, node, neighboursOf(node)) : undefined;
      if (victims) return await preempt(pod, node.metadata.name, victims, context, clock);
    }
  };
}

/** The pods that still have no node: something that may help has changed. */
export const unscheduledPods = enqueueRequestsFromMapFunc(async (_, { client }) =>
  (await client.list(Pod)).filter(isUnscheduled).map(keyOf),
);

/** Waits for a node, and for our scheduler to choose it. */
export function isUnscheduled(pod: PodView): boolean {
  const { nodeName, schedulerName = "default-scheduler" } = pod.spec;
  const isGated = (pod.spec.schedulingGates ?? []).length > 0;
  const isWaiting = (pod.status?.phase ?? "Pending") === "Pending" && pod.metadata.deletionTimestamp === undefined;
  return !nodeName && !isGated && schedulerName === "default-scheduler" && isWaiting;
}

export const hasFinished = ({ status }: PodView): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

const nodeOf = ({ metadata, spec }: PodView, bound: ReadonlyMap<string, string>): string | undefined =>
  spec.nodeName || bound.get(metadata.uid ?? "");

async function bind(
  key: ObjectKey,
  pod: PodView,
  node: string,
  bound: Map<string, string>,
  { client, recorder }: ReconcileContext,
): Promise<void> {
  const { uid = "" } = pod.metadata;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  bound.set(uid, node); // before anybody else is asked where there is room
  try {
    await client.subResource("binding").create(Pod, key, { target });
  } catch (error) {
    bound.delete(uid);
    return ignoreBound(error);
  }
  recorder.event(pod, { reason: "Scheduled", note: `Successfully assigned ${key} to ${node}`, action: "Binding" });
}

async function reportUnschedulable(
  pod: PodView,
  nodes: number,
  misfits: readonly Misfit[],
  clock: Clock,
  { client, recorder }: ReconcileContext,
): Promise<void> {
  const conditions = (mutableCopy(pod.status?.conditions) ?? []) as Condition[];
  const counts = Map.groupBy(misfits, ({ reason }) => reason);
  const reasons = [...counts].map(([reason, { length }]) => `${length} ${reason}`).sort();
  const message =
    nodes === 0 ? "no nodes available to schedule pods" : `0/${nodes} nodes are available: ${reasons.join(", ")}.`;
  if (findCondition(conditions, "PodScheduled")?.message === message) return;
  recorder.event(pod, { type: "Warning", reason: "FailedScheduling", note: message, action: "Scheduling" });
  setCondition(
    conditions,
    { type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    rfc3339(clock.now()),
  );
  await client.status
    .patch(Pod, pod, { conditions: conditions.map((each) => ({ ...each })) }, { type: "strategic" })
    .catch(ignoreBound);
}

/** Gone or about to be, or given a node by somebody else: nothing is left to do. */
function ignoreBound(error: unknown): undefined {
  return isConflict(error) || isNamespaceTerminating(error) ? undefined : ignoreNotFound(error);
}
