import type { V1CustomResourceDefinition } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface CustomResourceDefinition extends Model<V1CustomResourceDefinition> {}
export const CustomResourceDefinition: Kind<CustomResourceDefinition> = builtIn(
  "apiextensions.k8s.io",
  "v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  "Cluster",
);
