import type {
  V1LocalSubjectAccessReview,
  V1SelfSubjectAccessReview,
  V1SelfSubjectRulesReview,
  V1SubjectAccessReview,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type UnstoredModel } from "./model.ts";

/** Asks whether a user may do something in one namespace; to be created there. */
export interface LocalSubjectAccessReview extends UnstoredModel<V1LocalSubjectAccessReview> {}
/** Kind of {@link LocalSubjectAccessReview}: `localsubjectaccessreviews` of `authorization.k8s.io/v1`, each in a namespace. */
export const LocalSubjectAccessReview: Kind<LocalSubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "LocalSubjectAccessReview",
  "localsubjectaccessreviews",
  "Namespaced",
);

/** Asks whether whoever is asking may do something: `status.allowed`. */
export interface SelfSubjectAccessReview extends UnstoredModel<V1SelfSubjectAccessReview> {}
/** Kind of {@link SelfSubjectAccessReview}: `selfsubjectaccessreviews` of `authorization.k8s.io/v1`, of the cluster. */
export const SelfSubjectAccessReview: Kind<SelfSubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SelfSubjectAccessReview",
  "selfsubjectaccessreviews",
  "Cluster",
);

/** Asks what whoever is asking may do in a namespace. The answer may be incomplete, and then says so. */
export interface SelfSubjectRulesReview extends UnstoredModel<V1SelfSubjectRulesReview> {}
/** Kind of {@link SelfSubjectRulesReview}: `selfsubjectrulesreviews` of `authorization.k8s.io/v1`, of the cluster. */
export const SelfSubjectRulesReview: Kind<SelfSubjectRulesReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SelfSubjectRulesReview",
  "selfsubjectrulesreviews",
  "Cluster",
);

/** Asks whether a user may do something, in any namespace or at the scope of the cluster. */
export interface SubjectAccessReview extends UnstoredModel<V1SubjectAccessReview> {}
/** Kind of {@link SubjectAccessReview}: `subjectaccessreviews` of `authorization.k8s.io/v1`, of the cluster. */
export const SubjectAccessReview: Kind<SubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SubjectAccessReview",
  "subjectaccessreviews",
  "Cluster",
);
