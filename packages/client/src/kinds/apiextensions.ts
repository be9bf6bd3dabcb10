import type { V1CustomResourceDefinition } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Defines a custom kind that the API server serves: its names, scope, versions and their schemas. */
export interface CustomResourceDefinition extends Model<V1CustomResourceDefinition> {}
/** The kind {@link CustomResourceDefinition}: resource `customresourcedefinitions` of `apiextensions.k8s.io/v1`, cluster-scoped. */
export const CustomResourceDefinition: Kind<CustomResourceDefinition> = builtIn(
  "apiextensions.k8s.io",
  "v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  "Cluster",
);
