// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of meta/v1. */
export const metaV1Types = `
## meta/v1 io.k8s.apimachinery.pkg.apis.meta.v1
APIGroup = 1 name!:string*, 2 versions!:[GroupVersionForDiscovery]*, 3 preferredVersion:GroupVersionForDiscovery, 4 serverAddressByClientCIDRs:[ServerAddressByClientCIDR]
APIGroupList = 1 groups!:[APIGroup]*
APIResource = 1 name!:string*, 6 singularName!:string*, 2 namespaced!:bool*, 8 group:string, 9 version:string, 3 kind!:string*, 4 verbs!:Verbs*, 5 shortNames:[string], 7 categories:[string], 10 storageVersionHash:string
APIResourceList = 1 groupVersion!:string*, 2 resources!:[APIResource]*
APIVersions = 1 versions!:[string]*, 2 serverAddressByClientCIDRs!:[ServerAddressByClientCIDR]*
Condition = 1 type!:string*, 2 status!:string*, 3 observedGeneration:int64, 4 lastTransitionTime!:Time*, 5 reason!:string*, 6 message!:string*
CreateOptions = 1 dryRun:[string], 3 fieldManager:string, 4 fieldValidation:string
DeleteOptions = 1 gracePeriodSeconds:int64?, 2 preconditions:Preconditions?, 3 orphanDependents:bool?, 4 propagationPolicy:string?, 5 dryRun:[string], 6 ignoreStoreReadErrorWithClusterBreakingPotential:bool?
FieldSelectorRequirement = 1 key!:string*, 2 operator!:string*, 3 values:[string]
GetOptions = 1 resourceVersion:string
GroupVersionForDiscovery = 1 groupVersion!:string*, 2 version!:string*
LabelSelector = @atomic 1 matchLabels:{string}, 2 matchExpressions:[LabelSelectorRequirement]
LabelSelectorRequirement = 1 key!:string*, 2 operator!:string*, 3 values:[string]
GroupVersionKind = 1 group!:string*, 2 version!:string*, 3 kind!:string*
ListMeta = 1 selfLink:string, 2 resourceVersion:string, 3 continue:string, 4 remainingItemCount:int64?, 5 shardInfo:ShardInfo?
ListOptions = 1 labelSelector:string, 2 fieldSelector:string, 3 watch:bool, 9 allowWatchBookmarks:bool, 4 resourceVersion:string, 10 resourceVersionMatch:string, 5 timeoutSeconds:int64?, 7 limit:int64, 8 continue:string, 11 sendInitialEvents:bool?, 15 shardSelector:string
ManagedFieldsEntry = 1 manager:string, 2 operation:string, 3 apiVersion:string, 4 time:Time?, 6 fieldsType:string, 7 fieldsV1:FieldsV1?, 8 subresource:string
ObjectMeta = 1 name:string, 2 generateName:string, 3 namespace:string, 4 selfLink:string, 5 uid:string, 6 resourceVersion:string, 7 generation:int64, 8 creationTimestamp:Time, 9 deletionTimestamp:Time?, 10 deletionGracePeriodSeconds:int64?, 11 labels:{string}, 12 annotations:{string}, 13 ownerReferences:[OwnerReference]@map(uid)@merge(uid), 14 finalizers:[string]@set@merge, 17 managedFields:[ManagedFieldsEntry]
OwnerReference = @atomic 5 apiVersion!:string*, 1 kind!:string*, 3 name!:string*, 4 uid!:string*, 6 controller:bool?, 7 blockOwnerDeletion:bool?
PartialObjectMetadata = 1 metadata:ObjectMeta
Patch = 
PatchOptions = 1 dryRun:[string], 2 force:bool?, 3 fieldManager:string, 4 fieldValidation:string
Preconditions = 1 uid:string?, 2 resourceVersion:string?
ServerAddressByClientCIDR = 1 clientCIDR!:string*, 2 serverAddress!:string*
ShardInfo = 1 selector!:string*
Status = 1 metadata:ListMeta, 2 status:string, 3 message:string, 4 reason:string, 5 details:StatusDetails?, 6 code:int32
StatusCause = 1 reason:string, 2 message:string, 3 field:string
StatusDetails = 1 name:string, 2 group:string, 3 kind:string, 6 uid:string, 4 causes:[StatusCause], 5 retryAfterSeconds:int32
UpdateOptions = 1 dryRun:[string], 2 fieldManager:string, 3 fieldValidation:string
WatchEvent = 1 type!:string*, 2 object!:RawExtension*
## apidiscovery.k8s.io/v2 io.k8s.api.apidiscovery.v2
APIGroupDiscovery = 1 metadata:meta.ObjectMeta, 2 versions:[APIVersionDiscovery]
APIResourceDiscovery = 1 resource!:string*, 2 responseKind:meta.GroupVersionKind?, 3 scope!:string*, 4 singularResource!:string*, 5 verbs!:[string]*, 6 shortNames:[string], 7 categories:[string], 8 subresources:[APISubresourceDiscovery]
APISubresourceDiscovery = 1 subresource!:string*, 2 responseKind:meta.GroupVersionKind?, 3 acceptedTypes:[meta.GroupVersionKind], 4 verbs!:[string]*
APIVersionDiscovery = 1 version!:string*, 2 resources:[APIResourceDiscovery], 3 freshness:string
## version io.k8s.apimachinery.pkg.version
Info = 0 major!:string*, 0 minor!:string*, 0 emulationMajor:string, 0 emulationMinor:string, 0 minCompatibilityMajor:string, 0 minCompatibilityMinor:string, 0 gitVersion!:string*, 0 gitCommit!:string*, 0 gitTreeState!:string*, 0 buildDate!:string*, 0 goVersion!:string*, 0 compiler!:string*, 0 platform!:string*
`;
