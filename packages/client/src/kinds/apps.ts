import type {
  V1ControllerRevision,
  V1DaemonSet,
  V1Deployment,
  V1ReplicaSet,
  V1StatefulSet,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface ControllerRevision extends Model<V1ControllerRevision> {}
export const ControllerRevision: Kind<ControllerRevision> = builtIn(
  "apps",
  "v1",
  "ControllerRevision",
  "controllerrevisions",
  "Namespaced",
);

export interface DaemonSet extends Model<V1DaemonSet, "spec"> {}
export const DaemonSet: Kind<DaemonSet> = builtIn("apps", "v1", "DaemonSet", "daemonsets", "Namespaced");

export interface Deployment extends Model<V1Deployment, "spec"> {}
export const Deployment: Kind<Deployment> = builtIn("apps", "v1", "Deployment", "deployments", "Namespaced");

export interface ReplicaSet extends Model<V1ReplicaSet, "spec"> {}
export const ReplicaSet: Kind<ReplicaSet> = builtIn("apps", "v1", "ReplicaSet", "replicasets", "Namespaced");

export interface StatefulSet extends Model<V1StatefulSet, "spec"> {}
export const StatefulSet: Kind<StatefulSet> = builtIn("apps", "v1", "StatefulSet", "statefulsets", "Namespaced");
