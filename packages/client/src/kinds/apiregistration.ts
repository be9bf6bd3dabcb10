import type { V1APIService } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface APIService extends Model<V1APIService> {}
export const APIService: Kind<APIService> = builtIn(
  "apiregistration.k8s.io",
  "v1",
  "APIService",
  "apiservices",
  "Cluster",
);
