// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of apiregistration.k8s.io/v1, coordination.k8s.io/v1, discovery.k8s.io/v1, events.k8s.io/v1, flowcontrol.apiserver.k8s.io/v1, node.k8s.io/v1, policy/v1, scheduling.k8s.io/v1. */
export const smallGroupsV1Types = `
## apiregistration.k8s.io/v1 io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
APIService = 1 metadata:meta.ObjectMeta, 2 spec:APIServiceSpec, 3 status:APIServiceStatus
APIServiceCondition = 1 type!:string*, 2 status!:string*, 3 lastTransitionTime:Time, 4 reason:string, 5 message:string
APIServiceSpec = 1 service:ServiceReference?, 2 group:string, 3 version:string, 4 insecureSkipTLSVerify:bool, 5 caBundle:bytes@atomic, 7 groupPriorityMinimum!:int32*, 8 versionPriority!:int32*
APIServiceStatus = 1 conditions:[APIServiceCondition]@map(type)@merge(type)
ServiceReference = 1 namespace:string, 2 name:string, 3 port:int32?
## coordination.k8s.io/v1 io.k8s.api.coordination.v1
Lease = 1 metadata:meta.ObjectMeta, 2 spec:LeaseSpec
LeaseSpec = 1 holderIdentity:string?, 2 leaseDurationSeconds:int32?, 3 acquireTime:MicroTime?, 4 renewTime:MicroTime?, 5 leaseTransitions:int32?, 6 strategy:string?, 7 preferredHolder:string?
## discovery.k8s.io/v1 io.k8s.api.discovery.v1
Endpoint = 1 addresses!:[string]*@set, 2 conditions:EndpointConditions, 3 hostname:string?, 4 targetRef:core.ObjectReference?, 5 deprecatedTopology:{string}, 6 nodeName:string?, 7 zone:string?, 8 hints:EndpointHints?
EndpointConditions = 1 ready:bool?, 2 serving:bool?, 3 terminating:bool?
EndpointHints = 1 forZones:[ForZone], 2 forNodes:[ForNode]
EndpointPort = @atomic 1 name:string?, 2 protocol:string?@enum(SCTP|TCP|UDP), 3 port:int32?, 4 appProtocol:string?
EndpointSlice = 1 metadata:meta.ObjectMeta, 4 addressType!:string*@enum(FQDN|IPv4|IPv6), 2 endpoints!:[Endpoint], 3 ports!:[EndpointPort]
ForNode = 1 name!:string*
ForZone = 1 name!:string*
## events.k8s.io/v1 io.k8s.api.events.v1
Event = 1 metadata!:meta.ObjectMeta, 2 eventTime!:MicroTime*, 3 series:EventSeries?, 4 reportingController:string, 5 reportingInstance:string, 6 action:string, 7 reason:string, 8 regarding:core.ObjectReference, 9 related:core.ObjectReference?, 10 note:string, 11 type:string, 12 deprecatedSource:core.EventSource, 13 deprecatedFirstTimestamp:Time, 14 deprecatedLastTimestamp:Time, 15 deprecatedCount:int32
EventSeries = 1 count!:int32*, 2 lastObservedTime!:MicroTime*
## flowcontrol.apiserver.k8s.io/v1 io.k8s.api.flowcontrol.v1
ExemptPriorityLevelConfiguration = 1 nominalConcurrencyShares:int32?, 2 lendablePercent:int32?
FlowDistinguisherMethod = 1 type!:string*
FlowSchema = 1 metadata:meta.ObjectMeta, 2 spec:FlowSchemaSpec, 3 status:FlowSchemaStatus
FlowSchemaCondition = 1 type:string, 2 status:string, 3 lastTransitionTime:Time, 4 reason:string, 5 message:string
FlowSchemaSpec = 1 priorityLevelConfiguration!:PriorityLevelConfigurationReference*, 2 matchingPrecedence!:int32, 3 distinguisherMethod:FlowDistinguisherMethod?, 4 rules:[PolicyRulesWithSubjects]
FlowSchemaStatus = 1 conditions:[FlowSchemaCondition]@map(type)@merge(type)
GroupSubject = 1 name!:string*
LimitResponse = 1 type!:string*, 2 queuing:QueuingConfiguration?
LimitedPriorityLevelConfiguration = 1 nominalConcurrencyShares!:int32?, 2 limitResponse:LimitResponse, 3 lendablePercent:int32?, 4 borrowingLimitPercent:int32?
NonResourcePolicyRule = 1 verbs!:[string]*@set, 6 nonResourceURLs!:[string]*@set
PolicyRulesWithSubjects = 1 subjects!:[Subject]*, 2 resourceRules:[ResourcePolicyRule], 3 nonResourceRules:[NonResourcePolicyRule]
PriorityLevelConfiguration = 1 metadata:meta.ObjectMeta, 2 spec:PriorityLevelConfigurationSpec, 3 status:PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition = 1 type:string, 2 status:string, 3 lastTransitionTime:Time, 4 reason:string, 5 message:string
PriorityLevelConfigurationReference = 1 name!:string*
PriorityLevelConfigurationSpec = 1 type!:string*, 2 limited:LimitedPriorityLevelConfiguration?, 3 exempt:ExemptPriorityLevelConfiguration?
PriorityLevelConfigurationStatus = 1 conditions:[PriorityLevelConfigurationCondition]@map(type)@merge(type)
QueuingConfiguration = 1 queues!:int32, 2 handSize!:int32, 3 queueLengthLimit!:int32
ResourcePolicyRule = 1 verbs!:[string]*@set, 2 apiGroups!:[string]*@set, 3 resources!:[string]*@set, 4 clusterScope:bool, 5 namespaces!:[string]@set
ServiceAccountSubject = 1 namespace!:string*, 2 name!:string*
Subject = 1 kind!:string*, 2 user:UserSubject?, 3 group:GroupSubject?, 4 serviceAccount:ServiceAccountSubject?
UserSubject = 1 name!:string*
## node.k8s.io/v1 io.k8s.api.node.v1
Overhead = 1 podFixed:{Quantity}
RuntimeClass = 1 metadata:meta.ObjectMeta, 2 handler!:string*, 3 overhead:Overhead?, 4 scheduling:Scheduling?
Scheduling = 1 nodeSelector:{string}@atomic, 2 tolerations:[core.Toleration]
## policy/v1 io.k8s.api.policy.v1
Eviction = 1 metadata:meta.ObjectMeta, 2 deleteOptions:meta.DeleteOptions?
PodDisruptionBudget = 1 metadata:meta.ObjectMeta, 2 spec:PodDisruptionBudgetSpec, 3 status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec = 1 minAvailable:IntOrString?, 2 selector:meta.LabelSelector?@replace, 3 maxUnavailable:IntOrString?, 4 unhealthyPodEvictionPolicy:string?@enum(AlwaysAllow|IfHealthyBudget)
PodDisruptionBudgetStatus = 1 observedGeneration:int64, 2 disruptedPods:{Time}, 3 disruptionsAllowed!:int32, 4 currentHealthy!:int32, 5 desiredHealthy!:int32, 6 expectedPods!:int32, 7 conditions:[meta.Condition]@map(type)@merge(type)
## scheduling.k8s.io/v1 io.k8s.api.scheduling.v1
PriorityClass = 1 metadata:meta.ObjectMeta, 2 value!:int32, 3 globalDefault:bool, 4 description:string, 5 preemptionPolicy:string?@enum(Never|PreemptLowerPriority)
`;
