import type {
  CoreV1Event,
  V1ConfigMap,
  V1Endpoints,
  V1LimitRange,
  V1Namespace,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodTemplate,
  V1ReplicationController,
  V1ResourceQuota,
  V1Secret,
  V1Service,
  V1ServiceAccount,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface ConfigMap extends Model<V1ConfigMap> {}
export const ConfigMap: Kind<ConfigMap> = builtIn("", "v1", "ConfigMap", "configmaps", "Namespaced");

export interface Endpoints extends Model<V1Endpoints> {}
export const Endpoints: Kind<Endpoints> = builtIn("", "v1", "Endpoints", "endpoints", "Namespaced");

export interface Event extends Model<CoreV1Event> {}
export const Event: Kind<Event> = builtIn("", "v1", "Event", "events", "Namespaced");

export interface LimitRange extends Model<V1LimitRange> {}
export const LimitRange: Kind<LimitRange> = builtIn("", "v1", "LimitRange", "limitranges", "Namespaced");

export interface Namespace extends Model<V1Namespace> {}
export const Namespace: Kind<Namespace> = builtIn("", "v1", "Namespace", "namespaces", "Cluster");

export interface Node extends Model<V1Node> {}
export const Node: Kind<Node> = builtIn("", "v1", "Node", "nodes", "Cluster");

export interface PersistentVolume extends Model<V1PersistentVolume, "spec"> {}
export const PersistentVolume: Kind<PersistentVolume> = builtIn(
  "",
  "v1",
  "PersistentVolume",
  "persistentvolumes",
  "Cluster",
);

export interface PersistentVolumeClaim extends Model<V1PersistentVolumeClaim, "spec"> {}
export const PersistentVolumeClaim: Kind<PersistentVolumeClaim> = builtIn(
  "",
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
  "Namespaced",
);

export interface Pod extends Model<V1Pod, "spec"> {}
export const Pod: Kind<Pod> = builtIn("", "v1", "Pod", "pods", "Namespaced");

export interface PodTemplate extends Model<V1PodTemplate, "template"> {}
export const PodTemplate: Kind<PodTemplate> = builtIn("", "v1", "PodTemplate", "podtemplates", "Namespaced");

export interface ReplicationController extends Model<V1ReplicationController, "spec"> {}
export const ReplicationController: Kind<ReplicationController> = builtIn(
  "",
  "v1",
  "ReplicationController",
  "replicationcontrollers",
  "Namespaced",
);

export interface ResourceQuota extends Model<V1ResourceQuota> {}
export const ResourceQuota: Kind<ResourceQuota> = builtIn("", "v1", "ResourceQuota", "resourcequotas", "Namespaced");

export interface Secret extends Model<V1Secret> {}
export const Secret: Kind<Secret> = builtIn("", "v1", "Secret", "secrets", "Namespaced");

export interface Service extends Model<V1Service, "spec"> {}
export const Service: Kind<Service> = builtIn("", "v1", "Service", "services", "Namespaced");

export interface ServiceAccount extends Model<V1ServiceAccount> {}
export const ServiceAccount: Kind<ServiceAccount> = builtIn(
  "",
  "v1",
  "ServiceAccount",
  "serviceaccounts",
  "Namespaced",
);
