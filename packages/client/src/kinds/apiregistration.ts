import type { V1APIService } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** A group and version, and which server answers for it: this API server, or one behind a Service. */
export interface APIService extends Model<V1APIService> {}
/** Kind of {@link APIService}: `apiservices` of `apiregistration.k8s.io/v1`, of the cluster. */
export const APIService: Kind<APIService> = builtIn(
  "apiregistration.k8s.io",
  "v1",
  "APIService",
  "apiservices",
  "Cluster",
);
