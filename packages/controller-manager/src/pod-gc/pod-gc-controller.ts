import { type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { Node, Pod } from "@kubewright/client/kinds";
import { asReconciler, enqueueRequestsFromMapFunc, type ReconcileContext } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";

/** Time after which a pod is deleted if its node does not exist. */
const quarantineMs = 40_000;

/**
 * Deletes pods that no other component would remove: pods on a node that no longer exists, and pods that were deleted before they were
 * assigned to a node.
 *
 * @see kubernetes pkg/controller/podgc
 */
export const addPodGcController: AddController = ({ controller, clock }) => {
  const podsOfNode = enqueueRequestsFromMapFunc<Node>(async ({ metadata }, { client }) =>
    (await client.list(Pod)).filter(({ spec }) => spec.nodeName === metadata.name).map(keyOf),
  );
  const missingSince = new Map<string, number>();
  controller("pod-garbage-collector-controller")
    .for(Pod)
    .watches(Node, podsOfNode, { predicates: [({ type }) => type === "delete"] })
    .complete(
      asReconciler(Pod, async (pod, { client }) => {
        const { nodeName } = pod.spec;
        if (!nodeName) {
          if (pod.metadata.deletionTimestamp !== undefined) await end(client, pod);
          return undefined;
        }
        if (await client.get(Node, { name: nodeName }).catch(ignoreNotFound)) {
          missingSince.delete(nodeName);
          return undefined;
        }
        const since = missingSince.get(nodeName) ?? clock.now();
        missingSince.set(nodeName, since);
        const left = since + quarantineMs - clock.now();
        if (left > 0) return { requeueAfterMs: left };
        await end(client, pod, {
          type: "DisruptionTarget",
          status: "True",
          reason: "DeletionByPodGC",
          message: "PodGC: node no longer exists",
        });
        return undefined;
      }),
    );
};

async function end(client: ReconcileContext["client"], pod: DeepReadonly<Pod>, condition?: object): Promise<void> {
  const { phase, conditions = [] } = pod.status ?? {};
  if (phase !== "Succeeded" && phase !== "Failed") {
    const status = { phase: "Failed", ...(condition ? { conditions: [...conditions, condition] } : {}) };
    await client.status.patch(Pod, keyOf(pod), status as Pod["status"] & object).catch(ignoreGone);
  }
  const preconditions = { uid: pod.metadata.uid };
  await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, preconditions }).catch(ignoreGone);
}
