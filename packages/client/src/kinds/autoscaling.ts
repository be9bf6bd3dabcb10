import type { V2HorizontalPodAutoscaler } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Sets the number of copies of a workload based on metrics. */
export interface HorizontalPodAutoscaler extends Model<V2HorizontalPodAutoscaler> {}
/** The kind {@link HorizontalPodAutoscaler}: resource `horizontalpodautoscalers` of `autoscaling/v2`, namespaced. */
export const HorizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> = builtIn(
  "autoscaling",
  "v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
  "Namespaced",
);
