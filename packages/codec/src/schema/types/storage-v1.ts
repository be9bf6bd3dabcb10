// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of storage.k8s.io/v1. */
export const storageV1Types = `
## storage.k8s.io/v1 io.k8s.api.storage.v1
CSIDriver = 1 metadata:meta.ObjectMeta, 2 spec!:CSIDriverSpec*
CSIDriverSpec = 1 attachRequired:bool?, 2 podInfoOnMount:bool?, 3 volumeLifecycleModes:[string]@set, 4 storageCapacity:bool?, 5 fsGroupPolicy:string?, 6 tokenRequests:[TokenRequest], 7 requiresRepublish:bool?, 8 seLinuxMount:bool?, 9 nodeAllocatableUpdatePeriodSeconds:int64?, 10 serviceAccountTokenInSecrets:bool?, 11 preventPodSchedulingIfMissing:bool?
CSINode = 1 metadata:meta.ObjectMeta, 2 spec!:CSINodeSpec*
CSINodeDriver = 1 name!:string*, 2 nodeID!:string*, 3 topologyKeys!:[string], 4 allocatable:VolumeNodeResources?
CSINodeSpec = 1 drivers!:[CSINodeDriver]*@map(name)@merge(name)
CSIStorageCapacity = 1 metadata:meta.ObjectMeta, 2 nodeTopology:meta.LabelSelector?, 3 storageClassName!:string*, 4 capacity:Quantity?, 5 maximumVolumeSize:Quantity?
StorageClass = 1 metadata:meta.ObjectMeta, 2 provisioner!:string*, 3 parameters:{string}, 4 reclaimPolicy:string?@enum(Delete|Recycle|Retain), 5 mountOptions:[string], 6 allowVolumeExpansion:bool?, 7 volumeBindingMode:string?@enum(Immediate|WaitForFirstConsumer), 8 allowedTopologies:[core.TopologySelectorTerm]
TokenRequest = 1 audience!:string*, 2 expirationSeconds:int64?
VolumeAttachment = 1 metadata:meta.ObjectMeta, 2 spec!:VolumeAttachmentSpec*, 3 status:VolumeAttachmentStatus
VolumeAttachmentSource = 1 persistentVolumeName:string?, 2 inlineVolumeSpec:core.PersistentVolumeSpec?
VolumeAttachmentSpec = 1 attacher!:string*, 2 source!:VolumeAttachmentSource*, 3 nodeName!:string*
VolumeAttachmentStatus = 1 attached!:bool*, 2 attachmentMetadata:{string}, 3 attachError:VolumeError?, 4 detachError:VolumeError?
VolumeAttributesClass = 1 metadata:meta.ObjectMeta, 2 driverName!:string*, 3 parameters:{string}
VolumeError = 1 time:Time, 2 message:string, 3 errorCode:int32?
VolumeNodeResources = 1 count:int32?
`;
