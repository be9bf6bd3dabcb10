import type {
  V1LocalSubjectAccessReview,
  V1SelfSubjectAccessReview,
  V1SelfSubjectRulesReview,
  V1SubjectAccessReview,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type UnstoredModel } from "./model.ts";

/** Checks whether a user has a permission in one namespace. Must be created in that namespace. */
export interface LocalSubjectAccessReview extends UnstoredModel<V1LocalSubjectAccessReview> {}
/** The kind {@link LocalSubjectAccessReview}: resource `localsubjectaccessreviews` of `authorization.k8s.io/v1`, namespaced. */
export const LocalSubjectAccessReview: Kind<LocalSubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "LocalSubjectAccessReview",
  "localsubjectaccessreviews",
  "Namespaced",
);

/** Checks whether the current user has a permission. The result is in `status.allowed`. */
export interface SelfSubjectAccessReview extends UnstoredModel<V1SelfSubjectAccessReview> {}
/** The kind {@link SelfSubjectAccessReview}: resource `selfsubjectaccessreviews` of `authorization.k8s.io/v1`, cluster-scoped. */
export const SelfSubjectAccessReview: Kind<SelfSubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SelfSubjectAccessReview",
  "selfsubjectaccessreviews",
  "Cluster",
);

/** Lists the current user's permissions in a namespace. If the list may be incomplete, `status.incomplete` is true. */
export interface SelfSubjectRulesReview extends UnstoredModel<V1SelfSubjectRulesReview> {}
/** The kind {@link SelfSubjectRulesReview}: resource `selfsubjectrulesreviews` of `authorization.k8s.io/v1`, cluster-scoped. */
export const SelfSubjectRulesReview: Kind<SelfSubjectRulesReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SelfSubjectRulesReview",
  "selfsubjectrulesreviews",
  "Cluster",
);

/** Checks whether a user has a permission, in any namespace or cluster-wide. */
export interface SubjectAccessReview extends UnstoredModel<V1SubjectAccessReview> {}
/** The kind {@link SubjectAccessReview}: resource `subjectaccessreviews` of `authorization.k8s.io/v1`, cluster-scoped. */
export const SubjectAccessReview: Kind<SubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SubjectAccessReview",
  "subjectaccessreviews",
  "Cluster",
);
