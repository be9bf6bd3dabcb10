import type { V1FlowSchema, V1PriorityLevelConfiguration } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Sorts requests to the API server into priority levels. */
export interface FlowSchema extends Model<V1FlowSchema> {}
/** Kind of {@link FlowSchema}: `flowschemas` of `flowcontrol.apiserver.k8s.io/v1`, of the cluster. */
export const FlowSchema: Kind<FlowSchema> = builtIn(
  "flowcontrol.apiserver.k8s.io",
  "v1",
  "FlowSchema",
  "flowschemas",
  "Cluster",
);

/** How much of the API server's attention requests of a priority level get. */
export interface PriorityLevelConfiguration extends Model<V1PriorityLevelConfiguration> {}
/** Kind of {@link PriorityLevelConfiguration}: `prioritylevelconfigurations` of `flowcontrol.apiserver.k8s.io/v1`, of the cluster. */
export const PriorityLevelConfiguration: Kind<PriorityLevelConfiguration> = builtIn(
  "flowcontrol.apiserver.k8s.io",
  "v1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
  "Cluster",
);
