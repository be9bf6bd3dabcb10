import type {
  V1LocalSubjectAccessReview,
  V1SelfSubjectAccessReview,
  V1SelfSubjectRulesReview,
  V1SubjectAccessReview,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type UnstoredModel } from "./model.ts";

export interface LocalSubjectAccessReview extends UnstoredModel<V1LocalSubjectAccessReview> {}
export const LocalSubjectAccessReview: Kind<LocalSubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "LocalSubjectAccessReview",
  "localsubjectaccessreviews",
  "Namespaced",
);

export interface SelfSubjectAccessReview extends UnstoredModel<V1SelfSubjectAccessReview> {}
export const SelfSubjectAccessReview: Kind<SelfSubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SelfSubjectAccessReview",
  "selfsubjectaccessreviews",
  "Cluster",
);

export interface SelfSubjectRulesReview extends UnstoredModel<V1SelfSubjectRulesReview> {}
export const SelfSubjectRulesReview: Kind<SelfSubjectRulesReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SelfSubjectRulesReview",
  "selfsubjectrulesreviews",
  "Cluster",
);

export interface SubjectAccessReview extends UnstoredModel<V1SubjectAccessReview> {}
export const SubjectAccessReview: Kind<SubjectAccessReview> = builtIn(
  "authorization.k8s.io",
  "v1",
  "SubjectAccessReview",
  "subjectaccessreviews",
  "Cluster",
);
