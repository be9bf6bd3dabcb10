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
 * Returns a reconciler that assigns an unscheduled pod to the next node whose labels, taints, resources and host ports
 * allow this. If no node has enough capacity, the pod preempts pods with a lower priority, and the freed capacity is
 * reserved for it. The pod's volumes are bound before the pod is assigned. Scheduling preferences are ignored.
 *
 * The scheduler remembers assignments that the cache does not show yet, so that concurrent workers never assign the
 * same resources twice.
 *
 * @see kubernetes pkg/scheduler
 */
export function schedulingReconciler(clock: Clock): Reconciler {
  const assumed = new AssumedPods(clock);
  /** The displaced pods and their node, for each pod that has displaced others. An entry is removed when the pod has a node. */
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
    /**
     * Returns the reason why the pod does not fit on a node. It must fit both with and without the pods nominated for the node, because
     * these may never arrive.
     */
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
 * Reports whether a pod that is nominated for a node takes precedence over another pod.
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

/** Maps any change to all unscheduled pods, because the change may free capacity for them. */
export const unscheduledPods = enqueueRequestsFromMapFunc(async (_, { client }) =>
  (await client.list(Pod)).filter(isUnscheduled).map(keyOf),
);

/** True if the pod is pending, has no node and no scheduling gates, and uses the default scheduler. */
export function isUnscheduled(pod: PodView): boolean {
  const { nodeName, schedulerName = "default-scheduler" } = pod.spec;
  const isGated = (pod.spec.schedulingGates ?? []).length > 0;
  const isWaiting = (pod.status?.phase ?? "Pending") === "Pending" && pod.metadata.deletionTimestamp === undefined;
  return !nodeName && !isGated && schedulerName === "default-scheduler" && isWaiting;
}

export const hasFinished = ({ status }: PodView): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/** Binds a pod to a node. Returns false if the pod was deleted or someone else has bound it. */
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

/** Returns the `observedGeneration` for a pod's conditions, if the pod has a generation. */
const observing = ({ metadata: { generation } }: PodView): { readonly observedGeneration?: number } =>
  generation === undefined ? {} : { observedGeneration: generation };

/**
 * Ignores the errors that a pod was deleted or that someone else has bound it, because nothing is left to do. Rethrows all other errors.
 */
function ignoreBound(error: unknown): undefined {
  return isConflict(error) || isNamespaceTerminating(error) ? undefined : ignoreNotFound(error);
}
