import type { V1PodDisruptionBudget } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Limits how many of the selected pods may be evicted at the same time. */
export interface PodDisruptionBudget extends Model<V1PodDisruptionBudget> {}
/** The kind {@link PodDisruptionBudget}: resource `poddisruptionbudgets` of `policy/v1`, namespaced. */
export const PodDisruptionBudget: Kind<PodDisruptionBudget> = builtIn(
  "policy",
  "v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
  "Namespaced",
);
