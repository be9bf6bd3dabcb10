import type {
  AuthenticationV1TokenRequest,
  V1Binding,
  V1Eviction,
  V1Scale,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Model, UnstoredModel } from "./model.ts";

// Bodies that only subresources take: nothing serves them as a collection, so there is no kind value for them.

/** What `/scale` reads and writes: `spec.replicas`. @see api/autoscaling/v1 Scale */
export interface Scale extends Model<V1Scale, "spec"> {}
/** What `serviceaccounts/token` takes: audiences and lifetime in seconds; the token is in `status`. @see api/authentication/v1 TokenRequest */
export interface TokenRequest extends UnstoredModel<AuthenticationV1TokenRequest, "spec"> {}
/** What `pods/eviction` takes: deletes the pod if the budgets allow it, else answers 429. @see api/policy/v1 Eviction */
export interface Eviction extends UnstoredModel<V1Eviction> {}
/** What `pods/binding` takes: puts a pod on the node that `target` names. @see api/core/v1 Binding */
export interface Binding extends UnstoredModel<V1Binding> {}
