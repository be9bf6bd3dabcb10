import type { V1SelfSubjectReview, V1TokenReview } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type UnstoredModel } from "./model.ts";

export interface SelfSubjectReview extends UnstoredModel<V1SelfSubjectReview> {}
export const SelfSubjectReview: Kind<SelfSubjectReview> = builtIn(
  "authentication.k8s.io",
  "v1",
  "SelfSubjectReview",
  "selfsubjectreviews",
  "Cluster",
);

export interface TokenReview extends UnstoredModel<V1TokenReview> {}
export const TokenReview: Kind<TokenReview> = builtIn(
  "authentication.k8s.io",
  "v1",
  "TokenReview",
  "tokenreviews",
  "Cluster",
);
