import { isRecord } from "@kubewright/apimachinery";
import type { KindStrategy } from "@kubewright/apiserver/registry";
import {
  mutatingAdmissionPolicyBindingStrategy,
  mutatingAdmissionPolicyStrategy,
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from "./admissionregistration/admission-policy.ts";
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from "./admissionregistration/webhook-configuration.ts";
import { apiServiceStrategy } from "./apiregistration/api-service.ts";
import { controllerRevisionStrategy } from "./apps/controller-revision.ts";
import { daemonSetStrategy } from "./apps/daemon-set.ts";
import { deploymentStrategy } from "./apps/deployment.ts";
import { replicaSetStrategy } from "./apps/replica-set.ts";
import { statefulSetStrategy } from "./apps/stateful-set.ts";
import { horizontalPodAutoscalerStrategy } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { cronJobStrategy } from "./batch/cron-job.ts";
import { jobStrategy } from "./batch/job.ts";
import { certificateSigningRequestStrategy } from "./certificates/certificate-signing-request.ts";
import { clusterTrustBundleStrategy } from "./certificates/cluster-trust-bundle.ts";
import { podCertificateRequestStrategy } from "./certificates/pod-certificate-request.ts";
import { leaseStrategy } from "./coordination/lease.ts";
import { componentStatusStrategy } from "./core/component-status.ts";
import { configMapStrategy } from "./core/config-map.ts";
import { eventStrategy, newEventStrategy } from "./core/event/event.ts";
import { limitRangeStrategy } from "./core/limit-range.ts";
import { namespaceStrategy } from "./core/namespace.ts";
import { nodeStrategy } from "./core/node.ts";
import { podStrategy } from "./core/pod.ts";
import { podTemplateStrategy } from "./core/pod-template.ts";
import { replicationControllerStrategy } from "./core/replication-controller.ts";
import { resourceQuotaStrategy } from "./core/resource-quota.ts";
import { secretStrategy } from "./core/secret.ts";
import { endpointsStrategy } from "./core/service/endpoints.ts";
import { serviceStrategy } from "./core/service/service.ts";
import { serviceAccountStrategy } from "./core/service-account.ts";
import { persistentVolumeStrategy } from "./core/volume/persistent-volume.ts";
import { persistentVolumeClaimStrategy } from "./core/volume/persistent-volume-claim.ts";
import { endpointSliceStrategy } from "./discovery/endpoint-slice.ts";
import { flowSchemaStrategy } from "./flowcontrol/flow-schema.ts";
import { priorityLevelConfigurationStrategy } from "./flowcontrol/priority-level-configuration.ts";
import { ingressStrategy } from "./networking/ingress.ts";
import { ingressClassStrategy } from "./networking/ingress-class.ts";
import { networkPolicyStrategy } from "./networking/network-policy.ts";
import { ipAddressStrategy, serviceCidrStrategy } from "./networking/service-address.ts";
import { runtimeClassStrategy } from "./node/runtime-class.ts";
import { withoutDisabledPodFields } from "./pod/disabled-fields.ts";
import { podDisruptionBudgetStrategy } from "./policy/pod-disruption-budget.ts";
import { clusterRoleStrategy, roleStrategy } from "./rbac/role.ts";
import { clusterRoleBindingStrategy, roleBindingStrategy } from "./rbac/role-binding.ts";
import { deviceClassStrategy } from "./resource/device-claim.ts";
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from "./resource/resource-claim.ts";
import { deviceTaintRuleStrategy, resourceSliceStrategy } from "./resource/resource-slice.ts";
import { priorityClassStrategy } from "./scheduling/priority-class.ts";
import { csiDriverStrategy, csiNodeStrategy, csiStorageCapacityStrategy } from "./storage/csi.ts";
import { storageClassStrategy } from "./storage/storage-class.ts";
import { volumeAttachmentStrategy } from "./storage/volume-attachment.ts";
import { volumeAttributesClassStrategy } from "./storage/volume-attributes-class.ts";
import { storageVersionMigrationStrategy } from "./storagemigration/storage-version-migration.ts";

const membersIn = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const specIn = (value: unknown): unknown => membersIn(value).spec;
const templateOf = ({ spec }: Record<string, unknown>): unknown => specIn(membersIn(spec).template);

/**
 * Strategies for the built-in kinds, keyed by `Kind.group`. If a kind has no entry, only its objects' metadata is
 * validated.
 */
export const builtinStrategies: Readonly<Record<string, KindStrategy>> = {
  "APIService.apiregistration.k8s.io": apiServiceStrategy,
  "FlowSchema.flowcontrol.apiserver.k8s.io": flowSchemaStrategy,
  "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": priorityLevelConfigurationStrategy,
  "ControllerRevision.apps": controllerRevisionStrategy,
  "DaemonSet.apps": withoutDisabledPodFields(daemonSetStrategy, templateOf),
  "Deployment.apps": withoutDisabledPodFields(deploymentStrategy, templateOf),
  "ReplicaSet.apps": withoutDisabledPodFields(replicaSetStrategy, templateOf),
  "StatefulSet.apps": withoutDisabledPodFields(statefulSetStrategy, templateOf),
  "CronJob.batch": withoutDisabledPodFields(cronJobStrategy, (object) =>
    templateOf(membersIn(membersIn(object.spec).jobTemplate)),
  ),
  "Job.batch": withoutDisabledPodFields(jobStrategy, templateOf),
  ComponentStatus: componentStatusStrategy,
  ConfigMap: configMapStrategy,
  Endpoints: endpointsStrategy,
  Event: eventStrategy,
  LimitRange: limitRangeStrategy,
  Namespace: namespaceStrategy,
  Node: nodeStrategy,
  PersistentVolumeClaim: persistentVolumeClaimStrategy,
  PersistentVolume: persistentVolumeStrategy,
  PodTemplate: withoutDisabledPodFields(podTemplateStrategy, ({ template }) => specIn(template)),
  Pod: withoutDisabledPodFields(podStrategy, specIn),
  ReplicationController: withoutDisabledPodFields(replicationControllerStrategy, templateOf),
  ResourceQuota: resourceQuotaStrategy,
  Secret: secretStrategy,
  ServiceAccount: serviceAccountStrategy,
  Service: serviceStrategy,
  "Event.events.k8s.io": newEventStrategy,
  "HorizontalPodAutoscaler.autoscaling": horizontalPodAutoscalerStrategy,
  "CertificateSigningRequest.certificates.k8s.io": certificateSigningRequestStrategy,
  "ClusterTrustBundle.certificates.k8s.io": clusterTrustBundleStrategy,
  "PodCertificateRequest.certificates.k8s.io": podCertificateRequestStrategy,
  "Lease.coordination.k8s.io": leaseStrategy,
  "EndpointSlice.discovery.k8s.io": endpointSliceStrategy,
  "Ingress.networking.k8s.io": ingressStrategy,
  "IngressClass.networking.k8s.io": ingressClassStrategy,
  "NetworkPolicy.networking.k8s.io": networkPolicyStrategy,
  "IPAddress.networking.k8s.io": ipAddressStrategy,
  "ServiceCIDR.networking.k8s.io": serviceCidrStrategy,
  "RuntimeClass.node.k8s.io": runtimeClassStrategy,
  "PodDisruptionBudget.policy": podDisruptionBudgetStrategy,
  "Role.rbac.authorization.k8s.io": roleStrategy,
  "ClusterRole.rbac.authorization.k8s.io": clusterRoleStrategy,
  "RoleBinding.rbac.authorization.k8s.io": roleBindingStrategy,
  "ClusterRoleBinding.rbac.authorization.k8s.io": clusterRoleBindingStrategy,
  "DeviceClass.resource.k8s.io": deviceClassStrategy,
  "DeviceTaintRule.resource.k8s.io": deviceTaintRuleStrategy,
  "ResourceClaim.resource.k8s.io": resourceClaimStrategy,
  "ResourceClaimTemplate.resource.k8s.io": resourceClaimTemplateStrategy,
  "ResourceSlice.resource.k8s.io": resourceSliceStrategy,
  "PriorityClass.scheduling.k8s.io": priorityClassStrategy,
  "StorageClass.storage.k8s.io": storageClassStrategy,
  "CSIDriver.storage.k8s.io": csiDriverStrategy,
  "CSINode.storage.k8s.io": csiNodeStrategy,
  "CSIStorageCapacity.storage.k8s.io": csiStorageCapacityStrategy,
  "VolumeAttachment.storage.k8s.io": volumeAttachmentStrategy,
  "VolumeAttributesClass.storage.k8s.io": volumeAttributesClassStrategy,
  "StorageVersionMigration.storagemigration.k8s.io": storageVersionMigrationStrategy,
  "MutatingWebhookConfiguration.admissionregistration.k8s.io": mutatingWebhookConfigurationStrategy,
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io": validatingWebhookConfigurationStrategy,
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io": validatingAdmissionPolicyStrategy,
  "MutatingAdmissionPolicy.admissionregistration.k8s.io": mutatingAdmissionPolicyStrategy,
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": validatingAdmissionPolicyBindingStrategy,
  "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io": mutatingAdmissionPolicyBindingStrategy,
};
