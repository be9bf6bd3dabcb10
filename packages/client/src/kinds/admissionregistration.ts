import type {
  V1MutatingWebhookConfiguration,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
} from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/**
 * Registers webhooks that may change objects before the server stores them, and selects the requests to send to them.
 */
export interface MutatingWebhookConfiguration extends Model<V1MutatingWebhookConfiguration> {}
/**
 * The kind {@link MutatingWebhookConfiguration}: resource `mutatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`,
 * cluster-scoped.
 */
export const MutatingWebhookConfiguration: Kind<MutatingWebhookConfiguration> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
  "Cluster",
);

/** CEL expressions that requests must satisfy. A policy has no effect until a binding refers to it. */
export interface ValidatingAdmissionPolicy extends Model<V1ValidatingAdmissionPolicy> {}
/**
 * The kind {@link ValidatingAdmissionPolicy}: resource `validatingadmissionpolicies` of `admissionregistration.k8s.io/v1`, cluster-scoped.
 */
export const ValidatingAdmissionPolicy: Kind<ValidatingAdmissionPolicy> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
  "Cluster",
);

/** Enables a ValidatingAdmissionPolicy for certain requests, with parameters and an action on failure. */
export interface ValidatingAdmissionPolicyBinding extends Model<V1ValidatingAdmissionPolicyBinding> {}
/**
 * The kind {@link ValidatingAdmissionPolicyBinding}: resource `validatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1`,
 * cluster-scoped.
 */
export const ValidatingAdmissionPolicyBinding: Kind<ValidatingAdmissionPolicyBinding> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
  "Cluster",
);

/** Registers webhooks that may reject requests, and selects the requests to send to them. */
export interface ValidatingWebhookConfiguration extends Model<V1ValidatingWebhookConfiguration> {}
/**
 * The kind {@link ValidatingWebhookConfiguration}: resource `validatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`,
 * cluster-scoped.
 */
export const ValidatingWebhookConfiguration: Kind<ValidatingWebhookConfiguration> = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
  "Cluster",
);
