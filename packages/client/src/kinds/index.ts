export type { Condition } from "@kubewright/apimachinery";
export {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "./admissionregistration.ts";
export { CustomResourceDefinition } from "./apiextensions.ts";
export { APIService } from "./apiregistration.ts";
export { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "./apps.ts";
export { SelfSubjectReview, TokenReview } from "./authentication.ts";
export {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from "./authorization.ts";
export { HorizontalPodAutoscaler } from "./autoscaling.ts";
export { CronJob, Job } from "./batch.ts";
export { CertificateSigningRequest } from "./certificates.ts";
export { Lease } from "./coordination.ts";
export {
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "./core.ts";
export { EndpointSlice } from "./discovery.ts";
export { FlowSchema, PriorityLevelConfiguration } from "./flowcontrol.ts";
export type { JSONSchemaProps, MicroTime, Model, Time, UnstoredModel, Wire } from "./model.ts";
export { Ingress, IngressClass, NetworkPolicy } from "./networking.ts";
export { RuntimeClass } from "./node.ts";
export type {
  Affinity,
  ConfigMapKeySelector,
  Container,
  ContainerPort,
  ContainerStatus,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  HostAlias,
  HTTPGetAction,
  LabelSelector,
  LabelSelectorRequirement,
  Lifecycle,
  LifecycleHandler,
  MatchResources,
  NodeAddress,
  NodeAffinity,
  NodeSelectorTerm,
  ObjectReference,
  PersistentVolumeClaimSpec,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PodCondition,
  PodDNSConfig,
  PodSecurityContext,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  PolicyRule,
  Probe,
  ResourceRequirements,
  SeccompProfile,
  SecretKeySelector,
  SecurityContext,
  ServicePort,
  Taint,
  Toleration,
  TopologySpreadConstraint,
  TypedObjectReference,
  Volume,
  VolumeDevice,
  VolumeMount,
} from "./parts.ts";
export { PodDisruptionBudget } from "./policy.ts";
export { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./rbac.ts";
export { PriorityClass } from "./scheduling.ts";
export { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from "./storage.ts";
export type { Binding, Eviction, Scale, TokenRequest } from "./sub-resources.ts";
