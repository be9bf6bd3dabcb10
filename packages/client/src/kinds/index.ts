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
  Container,
  ContainerPort,
  ContainerStatus,
  EnvVar,
  LabelSelector,
  NodeAddress,
  ObjectReference,
  PodCondition,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  PolicyRule,
  ServicePort,
  Toleration,
  Volume,
  VolumeMount,
} from "./parts.ts";
export { PodDisruptionBudget } from "./policy.ts";
export { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./rbac.ts";
export { PriorityClass } from "./scheduling.ts";
export { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from "./storage.ts";
export type { Binding, Eviction, Scale, TokenRequest } from "./sub-resources.ts";
