import { isObjectName, joinKey } from "@kubewright/apimachinery";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { deploymentReconciler } from "./deployment-controller.ts";

/**
 * Rolls out Deployments. The controller watches for pod deletions, because the `Recreate` strategy waits for them.
 *
 * @see kubernetes pkg/controller/deployment
 */
export const addDeploymentController: AddController = ({ controller, clock }) => {
  const deploymentOfPod = enqueueRequestsFromMapFunc<Pod>(async (pod, { client }) => {
    const sets = await client.list(ReplicaSet, { namespace: pod.metadata.namespace });
    const set = sets.find(({ metadata }) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
    const owner = set?.metadata.ownerReferences?.find((each) => each.controller && each.kind === "Deployment");
    return owner && isObjectName(owner.name) ? [joinKey(pod.metadata.namespace, owner.name)] : [];
  });
  controller("deployment-controller")
    .for(Deployment)
    .owns(ReplicaSet)
    .watches(Pod, deploymentOfPod, { predicates: [({ type }) => type === "delete"] })
    .complete(deploymentReconciler(clock));
};
