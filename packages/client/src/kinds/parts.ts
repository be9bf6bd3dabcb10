import type {
  V1Container,
  V1ContainerPort,
  V1ContainerStatus,
  V1EnvVar,
  V1LabelSelector,
  V1NodeAddress,
  V1ObjectReference,
  V1PodCondition,
  V1PodSpec,
  V1PodStatus,
  V1PodTemplateSpec,
  V1PolicyRule,
  V1ServicePort,
  V1Toleration,
  V1Volume,
  V1VolumeMount,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Wire } from "./model.ts";

// The parts of built-in objects that programs use most often.

/** One container of a pod: image, command, environment, resources, probes. @see api/core/v1 Container */
export type Container = Wire<V1Container>;
/** A port that a container listens on. Declaring it does not open the port. @see api/core/v1 ContainerPort */
export type ContainerPort = Wire<V1ContainerPort>;
/** Status of a container: readiness, restarts, current and last state. @see api/core/v1 ContainerStatus */
export type ContainerStatus = Wire<V1ContainerStatus>;
/** An environment variable of a container, as a value or a reference to its source. @see api/core/v1 EnvVar */
export type EnvVar = Wire<V1EnvVar>;
/** Selects objects by their labels; an empty selector matches all objects. @see apimachinery meta/v1 LabelSelector */
export type LabelSelector = Wire<V1LabelSelector>;
/** An address of a node, and its type: `InternalIP`, `ExternalIP`, `Hostname` and others. @see api/core/v1 NodeAddress */
export type NodeAddress = Wire<V1NodeAddress>;
/** A reference to an object, by kind, namespace and name. @see api/core/v1 ObjectReference */
export type ObjectReference = Wire<V1ObjectReference>;
/** One observed aspect of a pod, such as `Ready`. @see api/core/v1 PodCondition */
export type PodCondition = Wire<V1PodCondition>;
/** Desired state of a pod. @see api/core/v1 PodSpec */
export type PodSpec = Wire<V1PodSpec>;
/** Observed state of a pod: phase, conditions, addresses, containers. @see api/core/v1 PodStatus */
export type PodStatus = Wire<V1PodStatus>;
/** Template of a workload's pods: metadata and spec. @see api/core/v1 PodTemplateSpec */
export type PodTemplateSpec = Wire<V1PodTemplateSpec>;
/** Verbs on resources or paths, as used in a Role. @see api/rbac/v1 PolicyRule */
export type PolicyRule = Wire<V1PolicyRule>;
/** A port of a Service, and the corresponding port of the pods. @see api/core/v1 ServicePort */
export type ServicePort = Wire<V1ServicePort>;
/** A taint that a pod tolerates, without a time limit unless `tolerationSeconds` is set. @see api/core/v1 Toleration */
export type Toleration = Wire<V1Toleration>;
/** A volume that the containers of a pod may mount, and its source. @see api/core/v1 Volume */
export type Volume = Wire<V1Volume>;
/** The path at which a container mounts a volume of its pod. @see api/core/v1 VolumeMount */
export type VolumeMount = Wire<V1VolumeMount>;
