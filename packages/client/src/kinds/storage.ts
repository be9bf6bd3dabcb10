import type {
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1StorageClass,
  V1VolumeAttachment,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Capabilities of a storage driver. */
export interface CSIDriver extends Model<V1CSIDriver> {}
/** The kind {@link CSIDriver}: resource `csidrivers` of `storage.k8s.io/v1`, cluster-scoped. */
export const CSIDriver: Kind<CSIDriver> = builtIn("storage.k8s.io", "v1", "CSIDriver", "csidrivers", "Cluster");

/** A node's storage drivers, and the node's topology as reported by them. */
export interface CSINode extends Model<V1CSINode> {}
/** The kind {@link CSINode}: resource `csinodes` of `storage.k8s.io/v1`, cluster-scoped. */
export const CSINode: Kind<CSINode> = builtIn("storage.k8s.io", "v1", "CSINode", "csinodes", "Cluster");

/** The available capacity of a StorageClass in a part of the cluster. */
export interface CSIStorageCapacity extends Model<V1CSIStorageCapacity> {}
/** The kind {@link CSIStorageCapacity}: resource `csistoragecapacities` of `storage.k8s.io/v1`, namespaced. */
export const CSIStorageCapacity: Kind<CSIStorageCapacity> = builtIn(
  "storage.k8s.io",
  "v1",
  "CSIStorageCapacity",
  "csistoragecapacities",
  "Namespaced",
);

/** A class of storage for claims, with the provisioner and its parameters. */
export interface StorageClass extends Model<V1StorageClass> {}
/** The kind {@link StorageClass}: resource `storageclasses` of `storage.k8s.io/v1`, cluster-scoped. */
export const StorageClass: Kind<StorageClass> = builtIn(
  "storage.k8s.io",
  "v1",
  "StorageClass",
  "storageclasses",
  "Cluster",
);

/** Requests and reports the attachment of a volume to a node. */
export interface VolumeAttachment extends Model<V1VolumeAttachment> {}
/** The kind {@link VolumeAttachment}: resource `volumeattachments` of `storage.k8s.io/v1`, cluster-scoped. */
export const VolumeAttachment: Kind<VolumeAttachment> = builtIn(
  "storage.k8s.io",
  "v1",
  "VolumeAttachment",
  "volumeattachments",
  "Cluster",
);
