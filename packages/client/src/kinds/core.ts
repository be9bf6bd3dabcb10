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

/** Configuration for programs: text in `data` and base64 in `binaryData`, at most 1 MiB in total. */
export interface ConfigMap extends Model<V1ConfigMap> {}
/** The kind {@link ConfigMap}: resource `configmaps` of `v1`, namespaced. */
export const ConfigMap: Kind<ConfigMap> = builtIn("", "v1", "ConfigMap", "configmaps", "Namespaced");

/** All addresses behind a Service in one object. Deprecated upstream in favor of EndpointSlice. */
export interface Endpoints extends Model<V1Endpoints> {}
/** The kind {@link Endpoints}: resource `endpoints` of `v1`, namespaced. */
export const Endpoints: Kind<Endpoints> = builtIn("", "v1", "Endpoints", "endpoints", "Namespaced");

/** Reports something that happened to an object. Deleted after an hour by default. */
export interface Event extends Model<CoreV1Event> {}
/** The kind {@link Event}: resource `events` of `v1`, namespaced. */
export const Event: Kind<Event> = builtIn("", "v1", "Event", "events", "Namespaced");

/** Limits and defaults for the resources of a pod, container or claim in a namespace. */
export interface LimitRange extends Model<V1LimitRange> {}
/** The kind {@link LimitRange}: resource `limitranges` of `v1`, namespaced. */
export const LimitRange: Kind<LimitRange> = builtIn("", "v1", "LimitRange", "limitranges", "Namespaced");

/** A scope for names. Deleting it deletes all objects in it. */
export interface Namespace extends Model<V1Namespace> {}
/** The kind {@link Namespace}: resource `namespaces` of `v1`, cluster-scoped. */
export const Namespace: Kind<Namespace> = builtIn("", "v1", "Namespace", "namespaces", "Cluster");

/** A machine that runs pods. */
export interface Node extends Model<V1Node> {}
/** The kind {@link Node}: resource `nodes` of `v1`, cluster-scoped. */
export const Node: Kind<Node> = builtIn("", "v1", "Node", "nodes", "Cluster");

/** A piece of storage that outlives the pods that use it. */
export interface PersistentVolume extends Model<V1PersistentVolume, "spec"> {}
/** The kind {@link PersistentVolume}: resource `persistentvolumes` of `v1`, cluster-scoped. */
export const PersistentVolume: Kind<PersistentVolume> = builtIn(
  "",
  "v1",
  "PersistentVolume",
  "persistentvolumes",
  "Cluster",
);

/** A request for storage, which is bound to a PersistentVolume. */
export interface PersistentVolumeClaim extends Model<V1PersistentVolumeClaim, "spec"> {}
/** The kind {@link PersistentVolumeClaim}: resource `persistentvolumeclaims` of `v1`, namespaced. */
export const PersistentVolumeClaim: Kind<PersistentVolumeClaim> = builtIn(
  "",
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
  "Namespaced",
);

/** Containers that run together on one node and share an IP address and volumes. */
export interface Pod extends Model<V1Pod, "spec"> {}
/** The kind {@link Pod}: resource `pods` of `v1`, namespaced. */
export const Pod: Kind<Pod> = builtIn("", "v1", "Pod", "pods", "Namespaced");

/** A pod template, stored as an object of its own in `template`. */
export interface PodTemplate extends Model<V1PodTemplate, "template"> {}
/** The kind {@link PodTemplate}: resource `podtemplates` of `v1`, namespaced. */
export const PodTemplate: Kind<PodTemplate> = builtIn("", "v1", "PodTemplate", "podtemplates", "Namespaced");

/** Runs a given number of copies of a pod. The predecessor of ReplicaSet. */
export interface ReplicationController extends Model<V1ReplicationController, "spec"> {}
/** The kind {@link ReplicationController}: resource `replicationcontrollers` of `v1`, namespaced. */
export const ReplicationController: Kind<ReplicationController> = builtIn(
  "",
  "v1",
  "ReplicationController",
  "replicationcontrollers",
  "Namespaced",
);

/** Limits the total resources that the objects in a namespace may use. */
export interface ResourceQuota extends Model<V1ResourceQuota> {}
/** The kind {@link ResourceQuota}: resource `resourcequotas` of `v1`, namespaced. */
export const ResourceQuota: Kind<ResourceQuota> = builtIn("", "v1", "ResourceQuota", "resourcequotas", "Namespaced");

/** Confidential data, base64-encoded in `data`. Plain text written to `stringData` is stored in `data`. */
export interface Secret extends Model<V1Secret> {}
/** The kind {@link Secret}: resource `secrets` of `v1`, namespaced. */
export const Secret: Kind<Secret> = builtIn("", "v1", "Secret", "secrets", "Namespaced");

/** A stable name and address for the pods that a selector matches. */
export interface Service extends Model<V1Service, "spec"> {}
/** The kind {@link Service}: resource `services` of `v1`, namespaced. */
export const Service: Kind<Service> = builtIn("", "v1", "Service", "services", "Namespaced");

/** An identity for pods: the user `system:serviceaccount:<namespace>:<name>`. */
export interface ServiceAccount extends Model<V1ServiceAccount> {}
/** The kind {@link ServiceAccount}: resource `serviceaccounts` of `v1`, namespaced. */
export const ServiceAccount: Kind<ServiceAccount> = builtIn(
  "",
  "v1",
  "ServiceAccount",
  "serviceaccounts",
  "Namespaced",
);
