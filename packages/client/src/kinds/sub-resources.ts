import type {
  AuthenticationV1TokenRequest,
  V1Binding,
  V1Eviction,
  V1Scale,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Model, UnstoredModel } from "./model.ts";

// Bodies that only subresources take: nothing serves them as a collection, so there is no kind value for them.

export interface Scale extends Model<V1Scale, "spec"> {}
export interface TokenRequest extends UnstoredModel<AuthenticationV1TokenRequest, "spec"> {}
export interface Eviction extends UnstoredModel<V1Eviction> {}
export interface Binding extends UnstoredModel<V1Binding> {}
