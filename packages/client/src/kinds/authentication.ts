import type { V1SelfSubjectReview, V1TokenReview } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type UnstoredModel } from "./model.ts";

/** Asks the API server which user it authenticated for this request: `status.userInfo`. */
export interface SelfSubjectReview extends UnstoredModel<V1SelfSubjectReview> {}
/** Kind of {@link SelfSubjectReview}: `selfsubjectreviews` of `authentication.k8s.io/v1`, cluster-scoped. */
export const SelfSubjectReview: Kind<SelfSubjectReview> = builtIn(
  "authentication.k8s.io",
  "v1",
  "SelfSubjectReview",
  "selfsubjectreviews",
  "Cluster",
);

/** Asks the API server for the user that a bearer token belongs to. */
export interface TokenReview extends UnstoredModel<V1TokenReview> {}
/** Kind of {@link TokenReview}: `tokenreviews` of `authentication.k8s.io/v1`, cluster-scoped. */
export const TokenReview: Kind<TokenReview> = builtIn(
  "authentication.k8s.io",
  "v1",
  "TokenReview",
  "tokenreviews",
  "Cluster",
);
