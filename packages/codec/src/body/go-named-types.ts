/** String types with names of their own: `type Struct.member …`. Generated from the Go types of k8s.io/api 0.36.3. */
const table = `
types.UID BoundObjectReference.uid ConfigMapNodeConfigSource.uid DeviceRequestAllocationResult.shareID ObjectMeta.uid ObjectReference.uid OwnerReference.uid Preconditions.uid ResourceClaimConsumerReference.uid UncountedTerminatedPods.failed UncountedTerminatedPods.succeeded
v1.AddressType EndpointSlice.addressType
v1.AllocationConfigSource DeviceAllocationConfiguration.source
v1.AppArmorProfileType AppArmorProfile.type
v1.AzureDataDiskCachingMode AzureDiskVolumeSource.cachingMode
v1.AzureDataDiskKind AzureDiskVolumeSource.kind
v1.Capability Capabilities.add Capabilities.drop
v1.ClaimResourceStatus PersistentVolumeClaimStatus.allocatedResourceStatuses
v1.CompletionMode JobSpec.completionMode
v1.ComponentConditionType ComponentCondition.type
v1.ConcurrencyPolicy CronJobSpec.concurrencyPolicy
v1.ConditionStatus CertificateSigningRequestCondition.status ComponentCondition.status Condition.status DaemonSetCondition.status DeploymentCondition.status FlowSchemaCondition.status HorizontalPodAutoscalerCondition.status JobCondition.status NamespaceCondition.status NodeCondition.status PersistentVolumeClaimCondition.status PodCondition.status PodFailurePolicyOnPodConditionsPattern.status PriorityLevelConfigurationCondition.status ReplicaSetCondition.status ReplicationControllerCondition.status StatefulSetCondition.status
v1.ContainerRestartPolicy Container.restartPolicy EphemeralContainerCommon.restartPolicy
v1.ContainerRestartRuleAction ContainerRestartRule.action
v1.ContainerRestartRuleOnExitCodesOperator ContainerRestartRuleOnExitCodes.operator
v1.CoordinatedLeaseStrategy LeaseSpec.strategy
v1.DNSPolicy PodSpec.dnsPolicy
v1.DaemonSetConditionType DaemonSetCondition.type
v1.DaemonSetUpdateStrategyType DaemonSetUpdateStrategy.type
v1.DeletionPropagation DeleteOptions.propagationPolicy
v1.DeploymentConditionType DeploymentCondition.type
v1.DeploymentStrategyType DeploymentStrategy.type
v1.DeviceAllocationMode DeviceSubRequest.allocationMode ExactDeviceRequest.allocationMode
v1.DeviceTaintEffect DeviceTaint.effect DeviceToleration.effect
v1.DeviceTolerationOperator DeviceToleration.operator
v1.FSGroupPolicy CSIDriverSpec.fsGroupPolicy
v1.FailurePolicyType MutatingAdmissionPolicySpec.failurePolicy MutatingWebhook.failurePolicy ValidatingAdmissionPolicySpec.failurePolicy ValidatingWebhook.failurePolicy
v1.FieldSelectorOperator FieldSelectorRequirement.operator
v1.FinalizerName NamespaceSpec.finalizers
v1.FlowDistinguisherMethodType FlowDistinguisherMethod.type
v1.FlowSchemaConditionType FlowSchemaCondition.type
v1.FullyQualifiedName DeviceConstraint.distinctAttribute DeviceConstraint.matchAttribute
v1.HostPathType HostPathVolumeSource.type
v1.IPFamily ServiceSpec.ipFamilies
v1.IPFamilyPolicy ServiceSpec.ipFamilyPolicy
v1.JobConditionType JobCondition.type
v1.KeyUsage CertificateSigningRequestSpec.usages
v1.LabelSelectorOperator LabelSelectorRequirement.operator
v1.LimitResponseType LimitResponse.type
v1.LimitType LimitRangeItem.type
v1.LoadBalancerIPMode LoadBalancerIngress.ipMode
v1.ManagedFieldsOperationType ManagedFieldsEntry.operation
v1.MatchPolicyType MatchResources.matchPolicy MutatingWebhook.matchPolicy ValidatingWebhook.matchPolicy
v1.MountPropagationMode VolumeMount.mountPropagation
v1.NamespaceConditionType NamespaceCondition.type
v1.NamespacePhase NamespaceStatus.phase
v1.NodeAddressType NodeAddress.type
v1.NodeConditionType NodeCondition.type
v1.NodeInclusionPolicy TopologySpreadConstraint.nodeAffinityPolicy TopologySpreadConstraint.nodeTaintsPolicy
v1.NodePhase NodeStatus.phase
v1.NodeSelectorOperator NodeSelectorRequirement.operator
v1.OSName PodOS.name
v1.OperationType RuleWithOperations.operations
v1.ParameterNotFoundActionType ParamRef.parameterNotFoundAction
v1.PatchType Mutation.patchType
v1.PathType HTTPIngressPath.pathType
v1.PersistentVolumeAccessMode PersistentVolumeClaimSpec.accessModes PersistentVolumeClaimStatus.accessModes PersistentVolumeSpec.accessModes
v1.PersistentVolumeClaimConditionType PersistentVolumeClaimCondition.type
v1.PersistentVolumeClaimModifyVolumeStatus ModifyVolumeStatus.status
v1.PersistentVolumeClaimPhase PersistentVolumeClaimStatus.phase
v1.PersistentVolumeClaimRetentionPolicyType StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
v1.PersistentVolumeMode PersistentVolumeClaimSpec.volumeMode PersistentVolumeSpec.volumeMode
v1.PersistentVolumePhase PersistentVolumeStatus.phase
v1.PersistentVolumeReclaimPolicy PersistentVolumeSpec.persistentVolumeReclaimPolicy StorageClass.reclaimPolicy
v1.PodConditionType PodCondition.type PodFailurePolicyOnPodConditionsPattern.type PodReadinessGate.conditionType
v1.PodFSGroupChangePolicy PodSecurityContext.fsGroupChangePolicy
v1.PodFailurePolicyAction PodFailurePolicyRule.action
v1.PodFailurePolicyOnExitCodesOperator PodFailurePolicyOnExitCodesRequirement.operator
v1.PodManagementPolicyType StatefulSetSpec.podManagementPolicy
v1.PodPhase PodStatus.phase
v1.PodQOSClass PodStatus.qosClass
v1.PodReplacementPolicy JobSpec.podReplacementPolicy
v1.PodResizeStatus PodStatus.resize
v1.PodSELinuxChangePolicy PodSecurityContext.seLinuxChangePolicy
v1.PolicyType NetworkPolicySpec.policyTypes
v1.PreemptionPolicy PodSpec.preemptionPolicy PriorityClass.preemptionPolicy
v1.PriorityLevelConfigurationConditionType PriorityLevelConfigurationCondition.type
v1.PriorityLevelEnablement PriorityLevelConfigurationSpec.type
v1.ProcMountType SecurityContext.procMount
v1.Protocol ContainerPort.protocol EndpointPort.protocol IngressPortStatus.protocol NetworkPolicyPort.protocol PortStatus.protocol ServicePort.protocol
v1.PullPolicy Container.imagePullPolicy EphemeralContainerCommon.imagePullPolicy ImageVolumeSource.pullPolicy
v1.QualifiedName NodeAllocatableResourceMapping.capacityKey
v1.RecursiveReadOnlyMode VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly
v1.ReinvocationPolicyType MutatingAdmissionPolicySpec.reinvocationPolicy MutatingWebhook.reinvocationPolicy
v1.ReplicaSetConditionType ReplicaSetCondition.type
v1.ReplicationControllerConditionType ReplicationControllerCondition.type
v1.RequestConditionType CertificateSigningRequestCondition.type
v1.ResourceHealthStatus ResourceHealth.health
v1.ResourceID ResourceHealth.resourceID
v1.ResourceName ContainerResizePolicy.resourceName ContainerResourceMetricSource.name ContainerResourceMetricStatus.name ResourceMetricSource.name ResourceMetricStatus.name ResourceStatus.name
v1.ResourceQuotaScope ResourceQuotaSpec.scopes ScopedResourceSelectorRequirement.scopeName
v1.ResourceResizeRestartPolicy ContainerResizePolicy.restartPolicy
v1.RestartPolicy PodSpec.restartPolicy
v1.ScopeSelectorOperator ScopedResourceSelectorRequirement.operator
v1.ScopeType Rule.scope
v1.SeccompProfileType SeccompProfile.type
v1.SecretType Secret.type
v1.ServiceAffinity ServiceSpec.sessionAffinity
v1.ServiceExternalTrafficPolicy ServiceSpec.externalTrafficPolicy
v1.ServiceInternalTrafficPolicy ServiceSpec.internalTrafficPolicy
v1.ServiceType ServiceSpec.type
v1.SideEffectClass MutatingWebhook.sideEffects ValidatingWebhook.sideEffects
v1.Signal ContainerStatus.stopSignal Lifecycle.stopSignal
v1.StatefulSetConditionType StatefulSetCondition.type
v1.StatefulSetUpdateStrategyType StatefulSetUpdateStrategy.type
v1.StatusReason Validation.reason
v1.StorageMedium EmptyDirVolumeSource.medium
v1.SubjectKind Subject.kind
v1.SupplementalGroupsPolicy PodSecurityContext.supplementalGroupsPolicy
v1.TaintEffect Taint.effect Toleration.effect
v1.TerminationMessagePolicy Container.terminationMessagePolicy EphemeralContainerCommon.terminationMessagePolicy
v1.TolerationOperator Toleration.operator
v1.URIScheme HTTPGetAction.scheme
v1.UnhealthyPodEvictionPolicyType PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
v1.UniqueVolumeName AttachedVolume.name NodeStatus.volumesInUse
v1.UnsatisfiableConstraintAction TopologySpreadConstraint.whenUnsatisfiable
v1.ValidationAction ValidatingAdmissionPolicyBindingSpec.validationActions
v1.VolumeBindingMode StorageClass.volumeBindingMode
v1.VolumeLifecycleMode CSIDriverSpec.volumeLifecycleModes
v2.HPAScalingPolicyType HPAScalingPolicy.type
v2.HorizontalPodAutoscalerConditionType HorizontalPodAutoscalerCondition.type
v2.MetricSourceType MetricSpec.type MetricStatus.type
v2.MetricTargetType MetricTarget.type
v2.ScalingPolicySelect HPAScalingRules.selectPolicy
`;

let byMember: ReadonlyMap<string, string> | undefined;

/** A member of a Go struct. */
export interface Member {
  readonly struct: string;
  /** Where the struct is, such as `apps/v1`. */
  readonly apiVersion: string;
  readonly name: string;
}

/** The name of the string type that a member, or what is in its list or map, has; `undefined` for plain strings. */
export function namedStringOf({ struct, apiVersion, name }: Member): string | undefined {
  byMember ??= new Map(
    table.split("\n").flatMap((line) => {
      const [type = "", ...members] = line.split(" ");
      return members.map((each) => [each, type] as const);
    }),
  );
  if (struct === "Subject" && !apiVersion.startsWith("flowcontrol.")) return undefined; // of roles, a plain string
  return byMember.get(`${struct}.${name}`);
}

/** What keys a map has, where they are no plain strings: those of devices. */
export const namedKeyOf = ({ apiVersion, name }: Member): string | undefined =>
  apiVersion.startsWith("resource.k8s.io/") && /^(attributes|capacity|requests|consumedCapacity)$/.test(name)
    ? "v1.QualifiedName"
    : undefined;
