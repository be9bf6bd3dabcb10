import { type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { Node, Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { asReconciler, enqueueRequestsFromMapFunc, type ReconcileContext } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { type Taint, tolerates } from "../scheduling/taints.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";

/**
 * Deletes pods that do not tolerate their node's `NoExecute` taints, or whose tolerations for these taints have expired.
 *
 * @see kubernetes pkg/controller/tainteviction
 */
export const addTaintEvictionController: AddController = ({ controller, clock }) => {
  const podsOfNode = enqueueRequestsFromMapFunc<Node>(async ({ metadata }, { client }) =>
    (await client.list(Pod)).filter(({ spec }) => spec.nodeName === metadata.name).map(keyOf),
  );
  /** Time at which each pod was first seen on a tainted node, keyed by pod UID. */
  const since = new Map<string, number>();
  controller("taint-eviction-controller")
    .for(Pod)
    .watches(Node, podsOfNode, { predicates: [(event) => event.type !== "update" || taintsDiffer(event)] })
    .complete(
      asReconciler(Pod, async (pod, context) => {
        const { uid = "", deletionTimestamp } = pod.metadata;
        const { nodeName } = pod.spec;
        const node = nodeName ? await context.client.get(Node, { name: nodeName }).catch(ignoreNotFound) : undefined;
        const taints = node ? executingTaints(node) : [];
        if (taints.length === 0 || deletionTimestamp !== undefined) {
          since.delete(uid);
          return undefined;
        }
        const seconds = toleratedSeconds(pod, taints);
        if (seconds === Number.POSITIVE_INFINITY) return undefined;
        const start = since.get(uid) ?? clock.now();
        since.set(uid, start);
        const left = start + seconds * 1_000 - clock.now();
        if (left > 0) return { requeueAfterMs: left };
        since.delete(uid);
        await evict(pod, context, clock);
        return undefined;
      }),
    );
};

const executingTaints = ({ spec }: DeepReadonly<Node>): Taint[] =>
  (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");

const taintsDiffer = ({ object, old }: { readonly object: DeepReadonly<Node>; readonly old: DeepReadonly<Node> }) =>
  JSON.stringify(executingTaints(object)) !== JSON.stringify(executingTaints(old));

/** Returns the number of seconds for which a pod tolerates all of the taints: 0 if it does not tolerate one of them. */
function toleratedSeconds({ spec }: DeepReadonly<Pod>, taints: readonly Taint[]): number {
  const times = taints.map((taint) => {
    const matching = (spec.tolerations ?? []).filter((each) => tolerates(each, taint));
    if (matching.length === 0) return 0;
    return Math.min(...matching.map(({ tolerationSeconds }) => tolerationSeconds ?? Number.POSITIVE_INFINITY));
  });
  return Math.max(0, Math.min(...times));
}

async function evict(pod: DeepReadonly<Pod>, { client, recorder }: ReconcileContext, clock: Clock): Promise<void> {
  recorder.event(pod, {
    reason: "TaintManagerEviction",
    note: `Marking for deletion Pod ${keyOf(pod)}`,
  });
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    lastTransitionTime: rfc3339(clock.now()),
  };
  const conditions = [condition] as NonNullable<NonNullable<Pod["status"]>["conditions"]>;
  await client.status.patch(Pod, pod, { conditions }, { type: "strategic" }).catch(ignoreGone);
  await client.delete(Pod, pod, { preconditions: { uid: pod.metadata.uid } }).catch(ignoreGone);
}
