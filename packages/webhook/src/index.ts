export type { AdmissionOptions } from "./admission/admission-builder.ts";
export type {
  AdmissionContext,
  AdmissionHandler,
  HandlingOptions,
} from "./admission/admission-context.ts";
export type {
  AdmissionRule,
  Operation,
  WebhookConfigurationOptions,
  WebhookDeclaration,
} from "./admission/declaration.ts";
export { DecodeError, decode, decodeRaw, isDecodeError } from "./admission/decode.ts";
export type { Defaulter } from "./admission/defaulter.ts";
export { multiMutatingHandler, multiValidatingHandler } from "./admission/multi-handler.ts";
export { invalid, refused } from "./admission/refusal.ts";
export {
  type AdmissionResponse,
  allowed,
  denied,
  errored,
  patched,
  patchResponseFromRaw,
  validationResponse,
  withWarnings,
} from "./admission/response.ts";
export type { Validator, Verdict } from "./admission/validator.ts";
export { type AdmissionBuilder, admission } from "./admission.ts";
export { type AdmissionHandlerOptions, admissionHandler } from "./admission-handler.ts";
export type { TokenContext, TokenHandler } from "./authentication/token-endpoint.ts";
export {
  authenticated,
  reviewResponse,
  type TokenReviewResponse,
  type TokenUser,
  tokenErrored,
  unauthenticated,
} from "./authentication/token-response.ts";
export type { TokenReviewRequest } from "./authentication/token-review.ts";
export type { CaBundleTarget } from "./certificates/ca-bundles.ts";
export type { CaPhase } from "./certificates/ca-state.ts";
export type { CertificateClient } from "./certificates/certificate-client.ts";
export type { CertificateEvents, CertificateMetrics } from "./certificates/certificate-reports.ts";
export type { CertificateSource, KeyPair } from "./certificates/certificate-source.ts";
export type { CertificateTimes } from "./certificates/certificate-times.ts";
export type { CertificatesDescription } from "./certificates/certificates-description.ts";
export type { CertificateParts, CertificatesOption, SecretOptions } from "./certificates/certificates-option.ts";
export { type CsrCertificatesOptions, csrCertificates } from "./certificates/csr-certificates.ts";
export { type DirectoryCertificatesOptions, directoryCertificates } from "./certificates/directory-certificates.ts";
export {
  type SecretCertificatesOptions,
  type SecretSourceOptions,
  secretCertificates,
} from "./certificates/secret-certificates.ts";
export type { ServiceNames } from "./certificates/server-hosts.ts";
export type {
  ConfiguredWebhook,
  DefinitionWithConversion,
  WebhookConfiguration,
} from "./configuration/configurations.ts";
export type { WebhookTarget } from "./configuration/webhook-target.ts";
export type { Conversion, ConvertedKind, HubAndSpokes, HubSpoke } from "./conversion/hub-and-spokes.ts";
export { conversion } from "./conversion.ts";
export type { ByteLease, ByteLimiter } from "./endpoint/byte-limiter.ts";
export type { Endpoint, EndpointParts, HttpCall, HttpRequest, HttpResponse } from "./endpoint/endpoint.ts";
export type { WebhookMetrics } from "./endpoint/webhook-metrics.ts";
export type { AdmissionRequest } from "./review/admission-review.ts";
export type { UserInfo } from "./review/user-info.ts";
export type { ServerDescription } from "./server/server-description.ts";
export type { ServedWebhook } from "./server/webhook.ts";
export { WebhookServer } from "./server/webhook-server.ts";
export type { WebhookListenOptions, WebhookServerOptions } from "./server/webhook-server-options.ts";
export { tokenReviewHandler } from "./token-review-handler.ts";
export type { Webhook } from "./webhook.ts";
