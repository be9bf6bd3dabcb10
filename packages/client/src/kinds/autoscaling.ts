import type { V2HorizontalPodAutoscaler } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface HorizontalPodAutoscaler extends Model<V2HorizontalPodAutoscaler> {}
export const HorizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> = builtIn(
  "autoscaling",
  "v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
  "Namespaced",
);
