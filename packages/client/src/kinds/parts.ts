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

export type Condition = Wire<V1Condition>;
export type Container = Wire<V1Container>;
export type ContainerPort = Wire<V1ContainerPort>;
export type ContainerStatus = Wire<V1ContainerStatus>;
export type EnvVar = Wire<V1EnvVar>;
export type LabelSelector = Wire<V1LabelSelector>;
export type NodeAddress = Wire<V1NodeAddress>;
export type ObjectReference = Wire<V1ObjectReference>;
export type PodCondition = Wire<V1PodCondition>;
export type PodSpec = Wire<V1PodSpec>;
export type PodStatus = Wire<V1PodStatus>;
export type PodTemplateSpec = Wire<V1PodTemplateSpec>;
export type PolicyRule = Wire<V1PolicyRule>;
export type ServicePort = Wire<V1ServicePort>;
export type Toleration = Wire<V1Toleration>;
export type Volume = Wire<V1Volume>;
export type VolumeMount = Wire<V1VolumeMount>;
