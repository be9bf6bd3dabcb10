export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from "./admission/admission.ts";
export { type PluginSelection, selectionErrors as pluginSelectionErrors } from "./admission/plugin-selection.ts";
export { ServiceAccountTokenSigner, type TokenTimes } from "./authentication/service-account/token-signer.ts";
export {
  CertificateAuthority,
  type IssuedCertificate,
  type Subject,
} from "./certificates/certificate-authority.ts";
export { type CertificationRequest, parseCertificationRequest } from "./certificates/certification-request.ts";
export {
  type CertificationRequestOptions,
  createCertificationRequest,
} from "./certificates/create-certification-request.ts";
export { type SigningOptions, signCertificationRequest } from "./certificates/sign-certification-request.ts";
export { ApiServer } from "./server/api-server.ts";
export type { ApiServerOptions } from "./server/api-server-options.ts";
export { type AuthenticationOptions, authenticationOptionErrors } from "./server/authentication-options.ts";
export {
  type AuthorizationMode,
  type AuthorizationOptions,
  authorizationModes,
  authorizationOptionErrors,
} from "./server/authorization-options.ts";
export type { DelayOptions, FailNextOptions, Faults, FaultTarget } from "./server/faults.ts";
export type { ServerConnection } from "./server/kubeconfig.ts";
export type { UserCredentials, UserOptions } from "./server/users.ts";
