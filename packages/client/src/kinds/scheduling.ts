import type { V1PriorityClass } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface PriorityClass extends Model<V1PriorityClass> {}
export const PriorityClass: Kind<PriorityClass> = builtIn(
  "scheduling.k8s.io",
  "v1",
  "PriorityClass",
  "priorityclasses",
  "Cluster",
);
