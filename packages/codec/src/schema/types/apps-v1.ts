// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of apps/v1. */
export const appsV1Types = `
## apps/v1 io.k8s.api.apps.v1
ControllerRevision = 1 metadata:meta.ObjectMeta, 2 data:RawExtension, 3 revision!:int64*
DaemonSet = 1 metadata:meta.ObjectMeta, 2 spec:DaemonSetSpec, 3 status:DaemonSetStatus
DaemonSetCondition = 1 type!:string*, 2 status!:string*, 3 lastTransitionTime:Time, 4 reason:string, 5 message:string
DaemonSetSpec = 1 selector!:meta.LabelSelector?*, 2 template!:core.PodTemplateSpec*, 3 updateStrategy:DaemonSetUpdateStrategy, 4 minReadySeconds:int32, 6 revisionHistoryLimit:int32?
DaemonSetStatus = 1 currentNumberScheduled!:int32*, 2 numberMisscheduled!:int32*, 3 desiredNumberScheduled!:int32*, 4 numberReady!:int32*, 5 observedGeneration:int64, 6 updatedNumberScheduled:int32, 7 numberAvailable:int32, 8 numberUnavailable:int32, 9 collisionCount:int32?, 10 conditions:[DaemonSetCondition]@map(type)@merge(type)
DaemonSetUpdateStrategy = 1 type:string@enum(OnDelete|RollingUpdate), 2 rollingUpdate:RollingUpdateDaemonSet?
Deployment = 1 metadata:meta.ObjectMeta, 2 spec:DeploymentSpec, 3 status:DeploymentStatus
DeploymentCondition = 1 type!:string*, 2 status!:string*, 6 lastUpdateTime:Time, 7 lastTransitionTime:Time, 4 reason:string, 5 message:string
DeploymentSpec = 1 replicas:int32?, 2 selector!:meta.LabelSelector?*, 3 template!:core.PodTemplateSpec*, 4 strategy:DeploymentStrategy@retainKeys, 5 minReadySeconds:int32, 6 revisionHistoryLimit:int32?, 7 paused:bool, 9 progressDeadlineSeconds:int32?
DeploymentStatus = 1 observedGeneration:int64, 2 replicas:int32, 3 updatedReplicas:int32, 7 readyReplicas:int32, 4 availableReplicas:int32, 5 unavailableReplicas:int32, 9 terminatingReplicas:int32?, 6 conditions:[DeploymentCondition]@map(type)@merge(type), 8 collisionCount:int32?
DeploymentStrategy = 1 type:string@enum(Recreate|RollingUpdate), 2 rollingUpdate:RollingUpdateDeployment?
ReplicaSet = 1 metadata:meta.ObjectMeta, 2 spec:ReplicaSetSpec, 3 status:ReplicaSetStatus
ReplicaSetCondition = 1 type!:string*, 2 status!:string*, 3 lastTransitionTime:Time, 4 reason:string, 5 message:string
ReplicaSetSpec = 1 replicas:int32?, 4 minReadySeconds:int32, 2 selector!:meta.LabelSelector?*, 3 template:core.PodTemplateSpec
ReplicaSetStatus = 1 replicas!:int32*, 2 fullyLabeledReplicas:int32, 4 readyReplicas:int32, 5 availableReplicas:int32, 7 terminatingReplicas:int32?, 3 observedGeneration:int64, 6 conditions:[ReplicaSetCondition]@map(type)@merge(type)
RollingUpdateDaemonSet = 1 maxUnavailable:IntOrString?, 2 maxSurge:IntOrString?
RollingUpdateDeployment = 1 maxUnavailable:IntOrString?, 2 maxSurge:IntOrString?
RollingUpdateStatefulSetStrategy = 1 partition:int32?, 2 maxUnavailable:IntOrString?
StatefulSet = 1 metadata:meta.ObjectMeta, 2 spec:StatefulSetSpec, 3 status:StatefulSetStatus
StatefulSetCondition = 1 type!:string*, 2 status!:string*, 3 lastTransitionTime:Time, 4 reason:string, 5 message:string
StatefulSetOrdinals = 1 start!:int32
StatefulSetPersistentVolumeClaimRetentionPolicy = 1 whenDeleted:string, 2 whenScaled:string
StatefulSetSpec = 1 replicas:int32?, 2 selector!:meta.LabelSelector?*, 3 template!:core.PodTemplateSpec*, 4 volumeClaimTemplates:[core.PersistentVolumeClaim], 5 serviceName!:string, 6 podManagementPolicy:string@enum(OrderedReady|Parallel), 7 updateStrategy:StatefulSetUpdateStrategy, 8 revisionHistoryLimit:int32?, 9 minReadySeconds:int32, 10 persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy?, 11 ordinals:StatefulSetOrdinals?
StatefulSetStatus = 1 observedGeneration:int64, 2 replicas!:int32*, 3 readyReplicas:int32, 4 currentReplicas:int32, 5 updatedReplicas:int32, 6 currentRevision:string, 7 updateRevision:string, 9 collisionCount:int32?, 10 conditions:[StatefulSetCondition]@map(type)@merge(type), 11 availableReplicas!:int32
StatefulSetUpdateStrategy = 1 type:string@enum(OnDelete|RollingUpdate), 2 rollingUpdate:RollingUpdateStatefulSetStrategy?
`;
