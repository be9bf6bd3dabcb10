import type { V1SelfSubjectReview, V1TokenReview } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type UnstoredModel } from "./model.ts";

/** Identifies the user who sends this request. The server returns the user in `status.userInfo`. */
export interface SelfSubjectReview extends UnstoredModel<V1SelfSubjectReview> {}
/** The kind {@link SelfSubjectReview}: resource `selfsubjectreviews` of `authentication.k8s.io/v1`, cluster-scoped. */
export const SelfSubjectReview: Kind<SelfSubjectReview> = builtIn(
  "authentication.k8s.io",
  "v1",
  "SelfSubjectReview",
  "selfsubjectreviews",
  "Cluster",
);

/** Identifies the user to whom a bearer token belongs. */
export interface TokenReview extends UnstoredModel<V1TokenReview> {}
/** The kind {@link TokenReview}: resource `tokenreviews` of `authentication.k8s.io/v1`, cluster-scoped. */
export const TokenReview: Kind<TokenReview> = builtIn(
  "authentication.k8s.io",
  "v1",
  "TokenReview",
  "tokenreviews",
  "Cluster",
);
