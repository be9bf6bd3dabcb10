import type {
  V1Condition,
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

// The parts of built-in objects that programs most often name.

/** One observed aspect of an object. @see apimachinery meta/v1 Condition */
export type Condition = Wire<V1Condition>;
/** One container of a pod: image, command, environment, resources, probes. @see api/core/v1 Container */
export type Container = Wire<V1Container>;
/** A port that a container listens on. To name it opens nothing. @see api/core/v1 ContainerPort */
export type ContainerPort = Wire<V1ContainerPort>;
/** How a container does: ready, restarts, its state and the last one. @see api/core/v1 ContainerStatus */
export type ContainerStatus = Wire<V1ContainerStatus>;
/** An environment variable of a container: a value, or where it comes from. @see api/core/v1 EnvVar */
export type EnvVar = Wire<V1EnvVar>;
/** Which labels objects are to have; one that is empty matches all. @see apimachinery meta/v1 LabelSelector */
export type LabelSelector = Wire<V1LabelSelector>;
/** An address of a node, and of which sort: `InternalIP`, `ExternalIP`, `Hostname` and others. @see api/core/v1 NodeAddress */
export type NodeAddress = Wire<V1NodeAddress>;
/** Which object is meant, by kind, namespace and name. @see api/core/v1 ObjectReference */
export type ObjectReference = Wire<V1ObjectReference>;
/** One observed aspect of a pod, such as `Ready`. @see api/core/v1 PodCondition */
export type PodCondition = Wire<V1PodCondition>;
/** What a pod is to be. @see api/core/v1 PodSpec */
export type PodSpec = Wire<V1PodSpec>;
/** What has become of a pod: phase, conditions, addresses, containers. @see api/core/v1 PodStatus */
export type PodStatus = Wire<V1PodStatus>;
/** What the pods of a workload are made from: metadata and spec. @see api/core/v1 PodTemplateSpec */
export type PodTemplateSpec = Wire<V1PodTemplateSpec>;
/** Verbs on resources or on paths, as a Role lists them. @see api/rbac/v1 PolicyRule */
export type PolicyRule = Wire<V1PolicyRule>;
/** A port of a Service, and the pods' port behind it. @see api/core/v1 ServicePort */
export type ServicePort = Wire<V1ServicePort>;
/** A taint that a pod puts up with; `tolerationSeconds` absent: for ever. @see api/core/v1 Toleration */
export type Toleration = Wire<V1Toleration>;
/** A volume that the containers of a pod may mount, and where it comes from. @see api/core/v1 Volume */
export type Volume = Wire<V1Volume>;
/** Where a container finds a volume of its pod. @see api/core/v1 VolumeMount */
export type VolumeMount = Wire<V1VolumeMount>;
