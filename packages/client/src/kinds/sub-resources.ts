import type {
  AuthenticationV1TokenRequest,
  V1Binding,
  V1Eviction,
  V1Scale,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Model, UnstoredModel } from "./model.ts";

// Bodies that only subresources accept. They are not served as collections, so they have no kind value.

/** Body of `/scale`, with the replica count in `spec.replicas`. @see api/autoscaling/v1 Scale */
export interface Scale extends Model<V1Scale, "spec"> {}
/**
 * Body of `serviceaccounts/token`, with audiences and a lifetime in seconds. The response contains the token in `status`.
 *
 * @see api/authentication/v1 TokenRequest
 */
export interface TokenRequest extends UnstoredModel<AuthenticationV1TokenRequest, "spec"> {}
/**
 * Body of `pods/eviction`, which deletes the pod if its disruption budgets allow it. Otherwise, the call fails with 429.
 *
 * @see api/policy/v1 Eviction
 */
export interface Eviction extends UnstoredModel<V1Eviction> {}
/** Body of `pods/binding`, which assigns a pod to the node in `target`. @see api/core/v1 Binding */
export interface Binding extends UnstoredModel<V1Binding> {}
