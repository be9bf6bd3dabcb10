import type { V1RuntimeClass } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** A container runtime configuration that pods select by name. */
export interface RuntimeClass extends Model<V1RuntimeClass> {}
/** The kind {@link RuntimeClass}: resource `runtimeclasses` of `node.k8s.io/v1`, cluster-scoped. */
export const RuntimeClass: Kind<RuntimeClass> = builtIn(
  "node.k8s.io",
  "v1",
  "RuntimeClass",
  "runtimeclasses",
  "Cluster",
);
