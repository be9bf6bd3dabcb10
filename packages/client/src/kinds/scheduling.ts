import type { V1PriorityClass } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** A priority that pods name: higher ones are scheduled first and may push others out. */
export interface PriorityClass extends Model<V1PriorityClass> {}
/** Kind of {@link PriorityClass}: `priorityclasses` of `scheduling.k8s.io/v1`, of the cluster. */
export const PriorityClass: Kind<PriorityClass> = builtIn(
  "scheduling.k8s.io",
  "v1",
  "PriorityClass",
  "priorityclasses",
  "Cluster",
);
