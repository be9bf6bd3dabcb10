import type { V1APIService } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Registers a group version and the server that serves it: this API server or a server behind a Service. */
export interface APIService extends Model<V1APIService> {}
/** The kind {@link APIService}: resource `apiservices` of `apiregistration.k8s.io/v1`, cluster-scoped. */
export const APIService: Kind<APIService> = builtIn(
  "apiregistration.k8s.io",
  "v1",
  "APIService",
  "apiservices",
  "Cluster",
);
