import type {
  V1Affinity,
  V1ConfigMapKeySelector,
  V1Container,
  V1ContainerPort,
  V1ContainerStatus,
  V1EnvFromSource,
  V1EnvVar,
  V1EnvVarSource,
  V1HostAlias,
  V1HTTPGetAction,
  V1LabelSelector,
  V1LabelSelectorRequirement,
  V1Lifecycle,
  V1LifecycleHandler,
  V1MatchResources,
  V1NodeAddress,
  V1NodeAffinity,
  V1NodeSelectorTerm,
  V1ObjectReference,
  V1PersistentVolumeClaimSpec,
  V1PodAffinity,
  V1PodAffinityTerm,
  V1PodAntiAffinity,
  V1PodCondition,
  V1PodDNSConfig,
  V1PodSecurityContext,
  V1PodSpec,
  V1PodStatus,
  V1PodTemplateSpec,
  V1PolicyRule,
  V1Probe,
  V1ResourceRequirements,
  V1SeccompProfile,
  V1SecretKeySelector,
  V1SecurityContext,
  V1ServicePort,
  V1Taint,
  V1Toleration,
  V1TopologySpreadConstraint,
  V1TypedObjectReference,
  V1Volume,
  V1VolumeDevice,
  V1VolumeMount,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Wire } from "./model.ts";

// The parts of built-in objects that programs use most often, and those that CRDs often contain.

/**
 * A pod's scheduling rules: the nodes and pods that it must or should be placed near, or away from.
 *
 * @see api/core/v1 Affinity
 */
export type Affinity = Wire<V1Affinity>;
/** A key of a ConfigMap in the same namespace. @see api/core/v1 ConfigMapKeySelector */
export type ConfigMapKeySelector = Wire<V1ConfigMapKeySelector>;
/** One container of a pod: image, command, environment, resources, probes. @see api/core/v1 Container */
export type Container = Wire<V1Container>;
/** A port that a container listens on. Declaring it does not open the port. @see api/core/v1 ContainerPort */
export type ContainerPort = Wire<V1ContainerPort>;
/** Status of a container: readiness, restart count, current and last state. @see api/core/v1 ContainerStatus */
export type ContainerStatus = Wire<V1ContainerStatus>;
/** A ConfigMap or Secret whose entries become environment variables. @see api/core/v1 EnvFromSource */
export type EnvFromSource = Wire<V1EnvFromSource>;
/** A container's environment variable, as a value or a reference to its source. @see api/core/v1 EnvVar */
export type EnvVar = Wire<V1EnvVar>;
/** Source of an environment variable's value. @see api/core/v1 EnvVarSource */
export type EnvVarSource = Wire<V1EnvVarSource>;
/** A line in a pod's hosts file. @see api/core/v1 HostAlias */
export type HostAlias = Wire<V1HostAlias>;
/** An HTTP request that the kubelet sends to a container. @see api/core/v1 HTTPGetAction */
export type HTTPGetAction = Wire<V1HTTPGetAction>;
/** Selects objects by their labels; an empty selector matches all objects. @see apimachinery meta/v1 LabelSelector */
export type LabelSelector = Wire<V1LabelSelector>;
/** One condition of a {@link LabelSelector}: a key, an operator and values. @see apimachinery meta/v1 LabelSelectorRequirement */
export type LabelSelectorRequirement = Wire<V1LabelSelectorRequirement>;
/** Actions to run after a container starts and before it stops. @see api/core/v1 Lifecycle */
export type Lifecycle = Wire<V1Lifecycle>;
/** One action of a {@link Lifecycle}. @see api/core/v1 LifecycleHandler */
export type LifecycleHandler = Wire<V1LifecycleHandler>;
/** The resources to which an admission policy applies. @see api/admissionregistration/v1 MatchResources */
export type MatchResources = Wire<V1MatchResources>;
/** A node's address and its type, such as `InternalIP`, `ExternalIP` or `Hostname`. @see api/core/v1 NodeAddress */
export type NodeAddress = Wire<V1NodeAddress>;
/** The nodes on which a pod must or should run. @see api/core/v1 NodeAffinity */
export type NodeAffinity = Wire<V1NodeAffinity>;
/** Conditions on the labels and fields of a node, all of which must be true. @see api/core/v1 NodeSelectorTerm */
export type NodeSelectorTerm = Wire<V1NodeSelectorTerm>;
/** A reference to an object, by kind, namespace and name. @see api/core/v1 ObjectReference */
export type ObjectReference = Wire<V1ObjectReference>;
/** Desired state of a volume claim: size, access modes, storage class. @see api/core/v1 PersistentVolumeClaimSpec */
export type PersistentVolumeClaimSpec = Wire<V1PersistentVolumeClaimSpec>;
/** The pods near which a pod must or should run. @see api/core/v1 PodAffinity */
export type PodAffinity = Wire<V1PodAffinity>;
/** The pods that an affinity refers to, and the topology key that defines "near". @see api/core/v1 PodAffinityTerm */
export type PodAffinityTerm = Wire<V1PodAffinityTerm>;
/** The pods near which a pod must not or should not run. @see api/core/v1 PodAntiAffinity */
export type PodAntiAffinity = Wire<V1PodAntiAffinity>;
/** One observed aspect of a pod, such as `Ready`. @see api/core/v1 PodCondition */
export type PodCondition = Wire<V1PodCondition>;
/** DNS settings of a pod. @see api/core/v1 PodDNSConfig */
export type PodDNSConfig = Wire<V1PodDNSConfig>;
/** Security settings of a pod and of all its containers. @see api/core/v1 PodSecurityContext */
export type PodSecurityContext = Wire<V1PodSecurityContext>;
/** Desired state of a pod. @see api/core/v1 PodSpec */
export type PodSpec = Wire<V1PodSpec>;
/** Observed state of a pod: phase, conditions, addresses, containers. @see api/core/v1 PodStatus */
export type PodStatus = Wire<V1PodStatus>;
/** Template of a workload's pods: metadata and spec. @see api/core/v1 PodTemplateSpec */
export type PodTemplateSpec = Wire<V1PodTemplateSpec>;
/** Verbs on resources or paths, as used in a Role. @see api/rbac/v1 PolicyRule */
export type PolicyRule = Wire<V1PolicyRule>;
/** A health check for a container: its action, period and thresholds. @see api/core/v1 Probe */
export type Probe = Wire<V1Probe>;
/** Resources that a container requests, and their limits. @see api/core/v1 ResourceRequirements */
export type ResourceRequirements = Wire<V1ResourceRequirements>;
/** The seccomp profile of a pod or container. @see api/core/v1 SeccompProfile */
export type SeccompProfile = Wire<V1SeccompProfile>;
/** A key of a Secret in the same namespace. @see api/core/v1 SecretKeySelector */
export type SecretKeySelector = Wire<V1SecretKeySelector>;
/** Security settings of a container. @see api/core/v1 SecurityContext */
export type SecurityContext = Wire<V1SecurityContext>;
/** A port of a Service, and the corresponding port of the pods. @see api/core/v1 ServicePort */
export type ServicePort = Wire<V1ServicePort>;
/** A taint of a node, which repels pods that do not tolerate it. @see api/core/v1 Taint */
export type Taint = Wire<V1Taint>;
/** A taint that a pod tolerates, without a time limit unless `tolerationSeconds` is set. @see api/core/v1 Toleration */
export type Toleration = Wire<V1Toleration>;
/** A rule for the distribution of pods among zones or nodes. @see api/core/v1 TopologySpreadConstraint */
export type TopologySpreadConstraint = Wire<V1TopologySpreadConstraint>;
/** A reference to an object of any kind, by group, kind and name. @see api/core/v1 TypedObjectReference */
export type TypedObjectReference = Wire<V1TypedObjectReference>;
/** A volume that the containers of a pod may mount, and its source. @see api/core/v1 Volume */
export type Volume = Wire<V1Volume>;
/** The path at which a container sees a block device of its pod. @see api/core/v1 VolumeDevice */
export type VolumeDevice = Wire<V1VolumeDevice>;
/** The path at which a container mounts a volume of its pod. @see api/core/v1 VolumeMount */
export type VolumeMount = Wire<V1VolumeMount>;
