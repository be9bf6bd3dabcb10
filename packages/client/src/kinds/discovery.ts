import type { V1EndpointSlice } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Some or all of the addresses behind a Service, each with its readiness. */
export interface EndpointSlice extends Model<V1EndpointSlice> {}
/** The kind {@link EndpointSlice}: resource `endpointslices` of `discovery.k8s.io/v1`, namespaced. */
export const EndpointSlice: Kind<EndpointSlice> = builtIn(
  "discovery.k8s.io",
  "v1",
  "EndpointSlice",
  "endpointslices",
  "Namespaced",
);
