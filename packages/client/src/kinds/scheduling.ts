import type { V1PriorityClass } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** A priority class for pods. Pods with a higher priority are scheduled first and may preempt others. */
export interface PriorityClass extends Model<V1PriorityClass> {}
/** The kind {@link PriorityClass}: resource `priorityclasses` of `scheduling.k8s.io/v1`, cluster-scoped. */
export const PriorityClass: Kind<PriorityClass> = builtIn(
  "scheduling.k8s.io",
  "v1",
  "PriorityClass",
  "priorityclasses",
  "Cluster",
);
