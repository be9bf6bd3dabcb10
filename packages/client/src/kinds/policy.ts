import type { V1PodDisruptionBudget } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface PodDisruptionBudget extends Model<V1PodDisruptionBudget> {}
export const PodDisruptionBudget: Kind<PodDisruptionBudget> = builtIn(
  "policy",
  "v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
  "Namespaced",
);
