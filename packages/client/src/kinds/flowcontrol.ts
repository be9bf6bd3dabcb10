import type { V1FlowSchema, V1PriorityLevelConfiguration } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface FlowSchema extends Model<V1FlowSchema> {}
export const FlowSchema: Kind<FlowSchema> = builtIn(
  "flowcontrol.apiserver.k8s.io",
  "v1",
  "FlowSchema",
  "flowschemas",
  "Cluster",
);

export interface PriorityLevelConfiguration extends Model<V1PriorityLevelConfiguration> {}
export const PriorityLevelConfiguration: Kind<PriorityLevelConfiguration> = builtIn(
  "flowcontrol.apiserver.k8s.io",
  "v1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
  "Cluster",
);
