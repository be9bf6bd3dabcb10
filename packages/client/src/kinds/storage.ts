import type {
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1StorageClass,
  V1VolumeAttachment,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** What a storage driver can do. */
export interface CSIDriver extends Model<V1CSIDriver> {}
/** Kind of {@link CSIDriver}: `csidrivers` of `storage.k8s.io/v1`, of the cluster. */
export const CSIDriver: Kind<CSIDriver> = builtIn("storage.k8s.io", "v1", "CSIDriver", "csidrivers", "Cluster");

/** Which storage drivers a node has, and its topology in their words. */
export interface CSINode extends Model<V1CSINode> {}
/** Kind of {@link CSINode}: `csinodes` of `storage.k8s.io/v1`, of the cluster. */
export const CSINode: Kind<CSINode> = builtIn("storage.k8s.io", "v1", "CSINode", "csinodes", "Cluster");

/** How much room a StorageClass has left in a part of the cluster. */
export interface CSIStorageCapacity extends Model<V1CSIStorageCapacity> {}
/** Kind of {@link CSIStorageCapacity}: `csistoragecapacities` of `storage.k8s.io/v1`, each in a namespace. */
export const CSIStorageCapacity: Kind<CSIStorageCapacity> = builtIn(
  "storage.k8s.io",
  "v1",
  "CSIStorageCapacity",
  "csistoragecapacities",
  "Namespaced",
);

/** A sort of storage that claims name: who makes it, and how. */
export interface StorageClass extends Model<V1StorageClass> {}
/** Kind of {@link StorageClass}: `storageclasses` of `storage.k8s.io/v1`, of the cluster. */
export const StorageClass: Kind<StorageClass> = builtIn(
  "storage.k8s.io",
  "v1",
  "StorageClass",
  "storageclasses",
  "Cluster",
);

/** That a volume is to be, or is, attached to a node. */
export interface VolumeAttachment extends Model<V1VolumeAttachment> {}
/** Kind of {@link VolumeAttachment}: `volumeattachments` of `storage.k8s.io/v1`, of the cluster. */
export const VolumeAttachment: Kind<VolumeAttachment> = builtIn(
  "storage.k8s.io",
  "v1",
  "VolumeAttachment",
  "volumeattachments",
  "Cluster",
);
