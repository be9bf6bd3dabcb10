// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of batch/v1. */
export const batchV1Types = `
## batch/v1 io.k8s.api.batch.v1
CronJob = 1 metadata:meta.ObjectMeta, 2 spec:CronJobSpec*, 3 status:CronJobStatus
CronJobSpec = 1 schedule!:string*, 8 timeZone:string?, 2 startingDeadlineSeconds:int64?, 3 concurrencyPolicy:string@enum(Allow|Forbid|Replace), 4 suspend:bool?, 5 jobTemplate!:JobTemplateSpec*, 6 successfulJobsHistoryLimit:int32?, 7 failedJobsHistoryLimit:int32?
CronJobStatus = 1 active:[core.ObjectReference], 4 lastScheduleTime:Time?, 5 lastSuccessfulTime:Time?
Job = 1 metadata:meta.ObjectMeta, 2 spec:JobSpec, 3 status:JobStatus
JobCondition = 1 type!:string*, 2 status!:string*, 3 lastProbeTime:Time, 4 lastTransitionTime:Time, 5 reason:string, 6 message:string
JobSpec = 1 parallelism:int32?, 2 completions:int32?, 3 activeDeadlineSeconds:int64?, 11 podFailurePolicy:PodFailurePolicy?, 16 successPolicy:SuccessPolicy?, 7 backoffLimit:int32?, 12 backoffLimitPerIndex:int32?, 13 maxFailedIndexes:int32?, 4 selector:meta.LabelSelector?, 5 manualSelector:bool?, 6 template!:core.PodTemplateSpec*, 8 ttlSecondsAfterFinished:int32?, 9 completionMode:string?@enum(Indexed|NonIndexed), 10 suspend:bool?, 14 podReplacementPolicy:string?@enum(Failed|TerminatingOrFailed), 15 managedBy:string?
JobStatus = 1 conditions:[JobCondition]@merge(type), 2 startTime:Time?, 3 completionTime:Time?, 4 active:int32, 5 succeeded:int32, 6 failed:int32, 11 terminating:int32?, 7 completedIndexes:string, 10 failedIndexes:string?, 8 uncountedTerminatedPods:UncountedTerminatedPods?, 9 ready:int32?
JobTemplateSpec = 1 metadata:meta.ObjectMeta, 2 spec:JobSpec
PodFailurePolicy = 1 rules!:[PodFailurePolicyRule]*
PodFailurePolicyOnExitCodesRequirement = 1 containerName:string?, 2 operator!:string*@enum(In|NotIn), 3 values!:[int32]*@set
PodFailurePolicyOnPodConditionsPattern = 1 type!:string*, 2 status!:string
PodFailurePolicyRule = 1 action!:string*@enum(Count|FailIndex|FailJob|Ignore), 2 onExitCodes:PodFailurePolicyOnExitCodesRequirement?, 3 onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
SuccessPolicy = 1 rules!:[SuccessPolicyRule]*
SuccessPolicyRule = 1 succeededIndexes:string?, 2 succeededCount:int32?
UncountedTerminatedPods = 1 succeeded:[string]@set, 2 failed:[string]@set
`;
