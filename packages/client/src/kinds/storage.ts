import type {
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1StorageClass,
  V1VolumeAttachment,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface CSIDriver extends Model<V1CSIDriver> {}
export const CSIDriver: Kind<CSIDriver> = builtIn("storage.k8s.io", "v1", "CSIDriver", "csidrivers", "Cluster");

export interface CSINode extends Model<V1CSINode> {}
export const CSINode: Kind<CSINode> = builtIn("storage.k8s.io", "v1", "CSINode", "csinodes", "Cluster");

export interface CSIStorageCapacity extends Model<V1CSIStorageCapacity> {}
export const CSIStorageCapacity: Kind<CSIStorageCapacity> = builtIn(
  "storage.k8s.io",
  "v1",
  "CSIStorageCapacity",
  "csistoragecapacities",
  "Namespaced",
);

export interface StorageClass extends Model<V1StorageClass> {}
export const StorageClass: Kind<StorageClass> = builtIn(
  "storage.k8s.io",
  "v1",
  "StorageClass",
  "storageclasses",
  "Cluster",
);

export interface VolumeAttachment extends Model<V1VolumeAttachment> {}
export const VolumeAttachment: Kind<VolumeAttachment> = builtIn(
  "storage.k8s.io",
  "v1",
  "VolumeAttachment",
  "volumeattachments",
  "Cluster",
);
