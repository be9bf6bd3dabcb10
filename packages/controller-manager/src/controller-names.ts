import { quote } from "@kubewright/apimachinery";
import { addHorizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler-controller.ts";
import { addCsrApprovingController } from "./certificates/csr-approving-controller.ts";
import { addCsrCleanerController } from "./certificates/csr-cleaner-controller.ts";
import { addCsrSigningController } from "./certificates/csr-signing-controller.ts";
import { addRootCaPublisher } from "./certificates/root-ca-publisher.ts";
import { addCronJobController } from "./cron-job/cron-job-controller.ts";
import { addDaemonSetController } from "./daemon-set/daemon-set-controller.ts";
import { addDeploymentController } from "./deployment/add-deployment-controller.ts";
import { addDisruptionController } from "./disruption/disruption-controller.ts";
import { addEndpointSliceController } from "./endpoints/endpoint-slice-controller.ts";
import { addEndpointSliceMirroringController } from "./endpoints/endpoint-slice-mirroring-controller.ts";
import { addEndpointsController } from "./endpoints/endpoints-controller.ts";
import { addGarbageCollector } from "./garbage-collection/garbage-collection.ts";
import { addJobController } from "./job/job-controller.ts";
import { addTtlAfterFinishedController } from "./job/ttl-after-finished-controller.ts";
import { addNamespaceController } from "./namespace/namespace-controller.ts";
import { addTaintEvictionController } from "./node/taint-eviction-controller.ts";
import type { AddController } from "./parts/controller-parts.ts";
import { addPodGcController } from "./pod-gc/pod-gc-controller.ts";
import {
  addAttributesClassProtection,
  addClaimProtection,
  addVolumeProtection,
} from "./protection/volume-protection.ts";
import { addReplicaSetController, addReplicationController } from "./replica-set/replica-set-controller.ts";
import { addResourceQuotaController } from "./resource-quota/resource-quota-controller.ts";
import { addRoleAggregationController } from "./role-aggregation/role-aggregation-controller.ts";
import { addServiceAccountController } from "./service-account/service-account-controller.ts";
import { addTokenController } from "./service-account/token-controller.ts";
import { addStatefulSetController } from "./stateful-set/stateful-set-controller.ts";
import { addEphemeralVolumeController } from "./volume/ephemeral-volume-controller.ts";
import { addVolumeBinder } from "./volume/volume-binder-controller.ts";

/**
 * Functions that add controllers, keyed by the names that kube-controller-manager uses. @see kubernetes
 * cmd/kube-controller-manager/names
 */
const controllers: ReadonlyMap<string, AddController> = new Map([
  ["serviceaccount-token-controller", addTokenController],
  ["endpoints-controller", addEndpointsController],
  ["endpointslice-controller", addEndpointSliceController],
  ["endpointslice-mirroring-controller", addEndpointSliceMirroringController],
  ["replicationcontroller-controller", addReplicationController],
  ["pod-garbage-collector-controller", addPodGcController],
  ["resourcequota-controller", addResourceQuotaController],
  ["namespace-controller", addNamespaceController],
  ["serviceaccount-controller", addServiceAccountController],
  ["garbage-collector-controller", addGarbageCollector],
  ["daemonset-controller", addDaemonSetController],
  ["job-controller", addJobController],
  ["deployment-controller", addDeploymentController],
  ["replicaset-controller", addReplicaSetController],
  ["horizontal-pod-autoscaler-controller", addHorizontalPodAutoscaler],
  ["disruption-controller", addDisruptionController],
  ["taint-eviction-controller", addTaintEvictionController],
  ["statefulset-controller", addStatefulSetController],
  ["cronjob-controller", addCronJobController],
  ["certificatesigningrequest-signing-controller", addCsrSigningController],
  ["certificatesigningrequest-approving-controller", addCsrApprovingController],
  ["certificatesigningrequest-cleaner-controller", addCsrCleanerController],
  ["clusterrole-aggregation-controller", addRoleAggregationController],
  ["persistentvolume-binder-controller", addVolumeBinder],
  ["ephemeral-volume-controller", addEphemeralVolumeController],
  ["persistentvolumeclaim-protection-controller", addClaimProtection],
  ["persistentvolume-protection-controller", addVolumeProtection],
  ["volumeattributesclass-protection-controller", addAttributesClassProtection],
  ["ttl-after-finished-controller", addTtlAfterFinishedController],
  ["root-ca-certificate-publisher-controller", addRootCaPublisher],
]);

/**
 * Returns the controllers that a list selects, in the format of kube-controller-manager's `--controllers` flag: `*`
 * selects all, `name` enables one, and `-name` disables one. If several entries match a controller, the first one
 * applies.
 *
 * @throws {Error} for an unknown name, with kube-controller-manager's message
 */
export function selectControllers(selection: readonly string[]): AddController[] {
  const unknown = selection.filter((each) => each !== "*" && !controllers.has(each.replace(/^-/, "")));
  if (unknown.length > 0)
    throw new Error(
      unknown.map((each) => `${quote(each.replace(/^-/, ""))} is not in the list of known controllers`).join(", "),
    );
  const isOn = (name: string): boolean =>
    !selection.includes(`-${name}`) && (selection.includes(name) || selection.includes("*"));
  return [...controllers].filter(([name]) => isOn(name)).map(([, add]) => add);
}
