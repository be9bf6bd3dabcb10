import type {
  V1ControllerRevision,
  V1DaemonSet,
  V1Deployment,
  V1ReplicaSet,
  V1StatefulSet,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** An immutable earlier state of a DaemonSet or StatefulSet, for rollbacks. */
export interface ControllerRevision extends Model<V1ControllerRevision> {}
/** The kind {@link ControllerRevision}: resource `controllerrevisions` of `apps/v1`, namespaced. */
export const ControllerRevision: Kind<ControllerRevision> = builtIn(
  "apps",
  "v1",
  "ControllerRevision",
  "controllerrevisions",
  "Namespaced",
);

/** Runs a copy of a pod on every node, or on selected nodes. */
export interface DaemonSet extends Model<V1DaemonSet, "spec"> {}
/** The kind {@link DaemonSet}: resource `daemonsets` of `apps/v1`, namespaced. */
export const DaemonSet: Kind<DaemonSet> = builtIn("apps", "v1", "DaemonSet", "daemonsets", "Namespaced");

/** Runs a given number of copies of a pod, and replaces them gradually when their template changes. */
export interface Deployment extends Model<V1Deployment, "spec"> {}
/** The kind {@link Deployment}: resource `deployments` of `apps/v1`, namespaced. */
export const Deployment: Kind<Deployment> = builtIn("apps", "v1", "Deployment", "deployments", "Namespaced");

/** Runs a given number of copies of a pod. Usually created by a Deployment. */
export interface ReplicaSet extends Model<V1ReplicaSet, "spec"> {}
/** The kind {@link ReplicaSet}: resource `replicasets` of `apps/v1`, namespaced. */
export const ReplicaSet: Kind<ReplicaSet> = builtIn("apps", "v1", "ReplicaSet", "replicasets", "Namespaced");

/** Runs a given number of copies of a pod, each with a stable name, ordinal and storage. */
export interface StatefulSet extends Model<V1StatefulSet, "spec"> {}
/** The kind {@link StatefulSet}: resource `statefulsets` of `apps/v1`, namespaced. */
export const StatefulSet: Kind<StatefulSet> = builtIn("apps", "v1", "StatefulSet", "statefulsets", "Namespaced");
