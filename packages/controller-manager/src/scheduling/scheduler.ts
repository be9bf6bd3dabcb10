import {
  byKey,
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
import { Namespace, Node, Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { enqueueRequestsFromMapFunc, type ReconcileContext, type Reconciler } from "@kubewright/controller";
import { isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { AssumedPods } from "./assumed-pods.ts";
import { type Misfit, misfitOf } from "./node-fit.ts";
import { PodVolumes } from "./pod-volumes.ts";
import { leastHarm, preempt, priorityOf, victimsFor } from "./preemption.ts";
import { mindsNamespaces, mindsOthers, topologyMisfit } from "./topology.ts";

type PodView = DeepReadonly<Pod>;

/**
 * Assigns an unscheduled pod to the next node whose labels, taints, resources and host ports allow it. A more important pod displaces
 * less important ones, and the room they leave is reserved for it. The pod's volumes are bound first. Scheduling preferences are ignored.
 *
 * The scheduler stores assignments that the cache does not show yet, so that concurrent workers never assign the same resources twice.
 *
 * @see kubernetes pkg/scheduler
 */
export function schedulingReconciler(clock: Clock): Reconciler {
  const assumed = new AssumedPods(clock);
  /** The pods that a pod has displaced, and the node they were on. Stored until the pod has a node. */
  const making = new Map<ObjectKey, { readonly node: string; readonly victims: ReadonlySet<string> }>();
  let turn = 0;
  return async (key, context) => {
    const pod = await context.client.get(Pod, key).catch(ignoreNotFound);
    if (!pod || !isUnscheduled(pod)) {
      making.delete(key);
      return;
    }
    const lagMs = assumed.lagMs(pod);
    if (lagMs > 0) return { requeueAfterMs: lagMs }; // bound; the cache does not show it yet
    const listed = (await context.client.list(Node)).toSorted(byKey); // for round-robin assignment
    const first = listed.length > 0 ? turn++ % listed.length : 0;
    const nodes = [...listed.slice(first), ...listed.slice(0, first)];
    const volumes = await PodVolumes.of(pod, context.client);
    const { problem } = volumes;
    if (problem !== undefined) return await reportUnschedulable(pod, nodes.length, [problem], clock, context);
    const namespaceLabels = mindsNamespaces(pod) ? await labelsOfNamespaces(context) : undefined;
    const isAboutOthers = mindsOthers(pod);
    const all = await context.client.list(Pod);
    // no `await` from here until the pod is assumed, because concurrent workers must see the assignment
    assumed.forgetShown(all);
    const placed = () => Map.groupBy(all, (each) => (hasFinished(each) ? undefined : assumed.nodeOf(each)));
    let byNode = placed();
    const nominated = Map.groupBy(
      all.filter((each) => isAheadOf(each, pod)),
      (each) => making.get(keyOf(each))?.node ?? each.status?.nominatedNodeName,
    );
    const podsOn = ({ metadata }: DeepReadonly<Node>): PodView[] => byNode.get(metadata.name) ?? [];
    const misfitBeside = (node: DeepReadonly<Node>, neighbours: readonly PodView[]): Misfit | undefined => {
      const around = {
        nodes,
        podsOn: (each: DeepReadonly<Node>) => (each === node ? neighbours : podsOn(each)),
        ...(namespaceLabels ? { namespaceLabels } : {}),
      };
      const hindrance = volumes.misfitOf(node);
      return (
        misfitOf(pod, node, neighbours) ??
        (isAboutOthers ? topologyMisfit(pod, node, around) : undefined) ??
        (hindrance === undefined ? undefined : { reason: hindrance, isForPods: false })
      );
    };
    /** The nominated pods may never arrive, so the pod must also fit without them. */
    const misfitOn = (node: DeepReadonly<Node>, kept: readonly PodView[]): Misfit | undefined => {
      const coming = nominated.get(node.metadata.name) ?? [];
      return misfitBeside(node, kept) ?? (coming.length > 0 ? misfitBeside(node, [...kept, ...coming]) : undefined);
    };
    const misfits: Misfit[] = [];
    for (const node of nodes) {
      const misfit = misfitOn(node, podsOn(node));
      if (misfit) {
        misfits.push(misfit);
        continue;
      }
      assumed.assume(pod, node.metadata.name);
      let isBound = false;
      try {
        isBound = (await volumes.settleOn(node, context.client)) && (await bind(key, pod, node.metadata.name, context));
      } finally {
        if (!isBound) assumed.forget(pod);
      }
      return; // if the pod's claims are not bound yet, their binding enqueues the pod again
    }
    await reportUnschedulable(pod, nodes.length, countedReasons(misfits), clock, context);
    const isMakingRoom = all.some((each) => making.get(key)?.victims.has(each.metadata.uid ?? ""));
    if (isMakingRoom) return; // the pod is enqueued again when the displaced pods terminate
    byNode = placed(); // other pods have been assigned in the meantime
    const choices = nodes.flatMap((node, i) => {
      const beside = (kept: readonly PodView[]): Misfit | undefined => misfitOn(node, kept);
      const victims = misfits[i]?.isForPods ? victimsFor(pod, node, podsOn(node), beside) : undefined;
      return victims ? [{ node: node.metadata.name, victims }] : [];
    });
    const choice = leastHarm(choices);
    if (!choice) return;
    making.set(key, { node: choice.node, victims: new Set(choice.victims.map(({ metadata }) => metadata.uid ?? "")) });
    await preempt(pod, choice.node, choice.victims, context, clock);
  };
}

/**
 * Reports whether a pod nominated for the node takes precedence over another pod.
 *
 * @see kubernetes pkg/scheduler/framework/runtime addGENominatedPods
 */
const isAheadOf = (pod: PodView, other: PodView): boolean =>
  isUnscheduled(pod) && pod.metadata.uid !== other.metadata.uid && priorityOf(pod) >= priorityOf(other);

async function labelsOfNamespaces({ client }: ReconcileContext) {
  const namespaces = await client.list(Namespace);
  return new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
}

const countedReasons = (misfits: readonly Misfit[]): string[] =>
  [...Map.groupBy(misfits, ({ reason }) => reason)].map(([reason, { length }]) => `${length} ${reason}`).sort();

/** Maps a change that might help to every unscheduled pod. */
export const unscheduledPods = enqueueRequestsFromMapFunc(async (_, { client }) =>
  (await client.list(Pod)).filter(isUnscheduled).map(keyOf),
);

/** True if the pod has no node and requests our scheduler. */
export function isUnscheduled(pod: PodView): boolean {
  const { nodeName, schedulerName = "default-scheduler" } = pod.spec;
  const isGated = (pod.spec.schedulingGates ?? []).length > 0;
  const isWaiting = (pod.status?.phase ?? "Pending") === "Pending" && pod.metadata.deletionTimestamp === undefined;
  return !nodeName && !isGated && schedulerName === "default-scheduler" && isWaiting;
}

export const hasFinished = ({ status }: PodView): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/** Binds a pod to a node. @returns true if the pod was bound; false if it was deleted or someone else bound it */
async function bind(
  key: ObjectKey,
  pod: PodView,
  node: string,
  { client, recorder }: ReconcileContext,
): Promise<boolean> {
  const target = { apiVersion: "v1", kind: "Node", name: node };
  try {
    await client.subResource("binding").create(Pod, key, { target });
  } catch (error) {
    ignoreBound(error);
    return false;
  }
  recorder.event(pod, { reason: "Scheduled", note: `Successfully assigned ${key} to ${node}`, action: "Binding" });
  return true;
}

async function reportUnschedulable(
  pod: PodView,
  nodes: number,
  reasons: readonly string[],
  clock: Clock,
  { client, recorder }: ReconcileContext,
): Promise<void> {
  const conditions = (mutableCopy(pod.status?.conditions) ?? []) as Condition[];
  const message =
    nodes === 0 ? "no nodes available to schedule pods" : `0/${nodes} nodes are available: ${reasons.join(", ")}.`;
  if (findCondition(conditions, "PodScheduled")?.message === message) return;
  recorder.event(pod, { type: "Warning", reason: "FailedScheduling", note: message, action: "Scheduling" });
  setCondition(
    conditions,
    { type: "PodScheduled", status: "False", reason: "Unschedulable", message, ...observing(pod) },
    rfc3339(clock.now()),
  );
  await client.status
    .patch(Pod, pod, { conditions: conditions.map((each) => ({ ...each })) }, { type: "strategic" })
    .catch(ignoreBound);
}

/** Observed generation. */
const observing = ({ metadata: { generation } }: PodView): { readonly observedGeneration?: number } =>
  generation === undefined ? {} : { observedGeneration: generation };

/** Ignores a pod that was deleted or that someone else bound: nothing is left to do. */
function ignoreBound(error: unknown): undefined {
  return isConflict(error) || isNamespaceTerminating(error) ? undefined : ignoreNotFound(error);
}
