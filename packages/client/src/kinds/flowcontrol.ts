import type { V1FlowSchema, V1PriorityLevelConfiguration } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Assigns API requests to priority levels. */
export interface FlowSchema extends Model<V1FlowSchema> {}
/** The kind {@link FlowSchema}: resource `flowschemas` of `flowcontrol.apiserver.k8s.io/v1`, cluster-scoped. */
export const FlowSchema: Kind<FlowSchema> = builtIn(
  "flowcontrol.apiserver.k8s.io",
  "v1",
  "FlowSchema",
  "flowschemas",
  "Cluster",
);

/** A priority level's share of the API server's request capacity. */
export interface PriorityLevelConfiguration extends Model<V1PriorityLevelConfiguration> {}
/**
 * The kind {@link PriorityLevelConfiguration}: resource `prioritylevelconfigurations` of `flowcontrol.apiserver.k8s.io/v1`, cluster-scoped.
 */
export const PriorityLevelConfiguration: Kind<PriorityLevelConfiguration> = builtIn(
  "flowcontrol.apiserver.k8s.io",
  "v1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
  "Cluster",
);
