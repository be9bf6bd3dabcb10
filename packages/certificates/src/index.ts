export { CertWatcher, type CertWatcherMetrics, type CertWatcherOptions } from "./cert-watcher.ts";
export {
  CertificateAuthority,
  type CertificateAuthorityOptions,
  type IssuedCertificate,
  type IssueOptions,
  type Subject,
} from "./certificate-authority.ts";
export {
  attributeTypes,
  type BasicConstraints,
  type CertificateDetails,
  certificateDetails,
  commonNameOf,
  isSamePublicKey,
  type NameAttribute,
  subjectValues,
} from "./certificate-details.ts";
export {
  type CertificationRequest,
  organizationsOfRequest,
  parseCertificationRequest,
} from "./certification-request.ts";
export { Connections, isPipelined, peerOf } from "./connections.ts";
export { type CertificationRequestOptions, createCertificationRequest } from "./create-certification-request.ts";
export { emptyRevocationList } from "./empty-revocation-list.ts";
export { whenIdle } from "./idle-session.ts";
export { certificateAuthority } from "./kept-authority.ts";
export { certificateBlocks, type PemBlock, pemBlock, pemBlocks } from "./pem-certificate.ts";
export { commonNameOfRequest } from "./request-common-name.ts";
export { describePeerSafely } from "./safe-peer.ts";
export { type SigningOptions, signCertificationRequest } from "./sign-certification-request.ts";
