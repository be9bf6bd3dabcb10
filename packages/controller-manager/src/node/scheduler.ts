import {
  type Condition,
  type DeepReadonly,
  findCondition,
  ignoreNotFound,
  isConflict,
  mutableCopy,
  setCondition,
} from "@kubewright/apimachinery";
import { Node, Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ReconcileContext, Reconciler } from "@kubewright/controller";

/**
 * Gives a pod that nobody runs a node whose labels satisfy its `nodeSelector`. Resources, taints and affinities do not count.
 *
 * @see kubernetes pkg/scheduler
 */
export function schedulingReconciler(clock: Clock): Reconciler {
  return async (key, context) => {
    const pod = await context.client.get(Pod, key).catch(ignoreNotFound);
    if (!pod || !isUnscheduled(pod)) return;
    const nodes = await context.client.list(Node);
    const node = nodes.find((each) => accepts(each, pod));
    if (!node) return reportUnschedulable(pod, nodes.length, clock, context);
    const target = { apiVersion: "v1", kind: "Node", name: node.metadata.name };
    await context.client.subResource("binding").create(Pod, key, { target }).catch(ignoreBound);
    context.recorder.event(pod, {
      reason: "Scheduled",
      note: `Successfully assigned ${key} to ${node.metadata.name}`,
      action: "Binding",
    });
  };
}

/** Waits for a node, and for our scheduler to choose it. */
export function isUnscheduled(pod: DeepReadonly<Pod>): boolean {
  const { nodeName, schedulerName = "default-scheduler" } = pod.spec;
  const isGated = (pod.spec.schedulingGates ?? []).length > 0;
  const isWaiting = (pod.status?.phase ?? "Pending") === "Pending" && pod.metadata.deletionTimestamp === undefined;
  return !nodeName && !isGated && schedulerName === "default-scheduler" && isWaiting;
}

function accepts({ metadata, spec }: DeepReadonly<Node>, pod: DeepReadonly<Pod>): boolean {
  if (spec?.unschedulable && !isDaemonPod(pod)) return false;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const names =
    terms?.flatMap(({ matchFields = [] }) => matchFields).filter(({ key }) => key === "metadata.name") ?? [];
  if (names.length > 0 && !names.some(({ values = [] }) => values.includes(metadata.name))) return false;
  return Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => metadata.labels?.[key] === value);
}

const isDaemonPod = ({ metadata }: DeepReadonly<Pod>): boolean =>
  metadata.ownerReferences?.some(({ controller, kind }) => controller && kind === "DaemonSet") ?? false;

async function reportUnschedulable(
  pod: DeepReadonly<Pod>,
  nodes: number,
  clock: Clock,
  { client }: ReconcileContext,
): Promise<void> {
  const conditions = (mutableCopy(pod.status?.conditions) ?? []) as Condition[];
  const message = `0/${nodes} nodes are available: ${nodes} node(s) didn't match Pod's node affinity/selector.`;
  if (findCondition(conditions, "PodScheduled")?.message === message) return;
  setCondition(
    conditions,
    { type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    rfc3339(clock.now()),
  );
  await client.status
    .patch(Pod, pod, { conditions: conditions.map((each) => ({ ...each })) }, { type: "strategic" })
    .catch(ignoreBound);
}

/** Gone, or given a node by somebody else: nothing is left to do. */
function ignoreBound(error: unknown): undefined {
  return isConflict(error) ? undefined : ignoreNotFound(error);
}
