import type { V1EndpointSlice } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface EndpointSlice extends Model<V1EndpointSlice> {}
export const EndpointSlice: Kind<EndpointSlice> = builtIn(
  "discovery.k8s.io",
  "v1",
  "EndpointSlice",
  "endpointslices",
  "Namespaced",
);
