export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from "./admission/admission.ts";
export { ApiServer, type ApiServerOptions } from "./server/api-server.ts";
export type { AuthorizationMode } from "./server/authorization-modes.ts";
export {
  CertificateAuthority,
  type IssuedCertificate,
  type Subject,
} from "./server/certificates/certificate-authority.ts";
export type { DelayOptions, FailNextOptions, Faults, FaultTarget } from "./server/faults.ts";
export type { ServerConnection } from "./server/kubeconfig.ts";
export type { UserCredentials, UserOptions } from "./server/users.ts";
