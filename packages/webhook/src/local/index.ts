export { findLocalHost, type LocalHost, type LocalHostOptions } from "./find-local-host.ts";
export { type LocalCertificatesOptions, localCertificates } from "./local-certificates.ts";
export {
  isStaleSession,
  type LocalConfiguration,
  LocalSession,
  type LocalSessionClient,
  type LocalSessionOptions,
  type LocalWebhook,
  sessionEndsInMs,
  sessionLabel,
} from "./local-session.ts";
export { type ProbeLocalOptions, probeLocal } from "./probe-local.ts";
