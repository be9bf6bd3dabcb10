import type {
  V1MutatingWebhookConfiguration,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface MutatingWebhookConfiguration extends Model<V1MutatingWebhookConfiguration> {}
export const MutatingWebhookConfiguration: Kind<MutatingWebhookConfiguration> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
  "Cluster",
);

export interface ValidatingAdmissionPolicy extends Model<V1ValidatingAdmissionPolicy> {}
export const ValidatingAdmissionPolicy: Kind<ValidatingAdmissionPolicy> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
  "Cluster",
);

export interface ValidatingAdmissionPolicyBinding extends Model<V1ValidatingAdmissionPolicyBinding> {}
export const ValidatingAdmissionPolicyBinding: Kind<ValidatingAdmissionPolicyBinding> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
  "Cluster",
);

export interface ValidatingWebhookConfiguration extends Model<V1ValidatingWebhookConfiguration> {}
export const ValidatingWebhookConfiguration: Kind<ValidatingWebhookConfiguration> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
  "Cluster",
);
