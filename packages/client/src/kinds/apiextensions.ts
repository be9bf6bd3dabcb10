import type { V1CustomResourceDefinition } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** A kind that the API server serves by description: names, scope, versions and their schemas. */
export interface CustomResourceDefinition extends Model<V1CustomResourceDefinition> {}
/** Kind of {@link CustomResourceDefinition}: `customresourcedefinitions` of `apiextensions.k8s.io/v1`, of the cluster. */
export const CustomResourceDefinition: Kind<CustomResourceDefinition> = builtIn(
  "apiextensions.k8s.io",
  "v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  "Cluster",
);
