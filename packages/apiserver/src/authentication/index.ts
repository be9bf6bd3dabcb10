export {
  type AuthenticationConfiguration,
  checkJwtAuthenticator,
  readAuthenticationConfiguration,
} from "./authentication-configuration.ts";
export {
  type Authenticator,
  afterValue,
  anonymousAuthenticator,
  type Identity,
  inAuthenticatedGroup,
  requiredIdentity,
  unionAuthenticator,
  withGroupOfAuthenticated,
} from "./authenticator.ts";
export {
  bearerTokenAuthenticator,
  bearerTokenWarning,
  forServerAudiences,
  invalidToken,
  StaticTokens,
  type TokenAuthenticator,
  unionTokenAuthenticator,
  webSocketTokenAuthenticator,
} from "./bearer-token.ts";
export { bootstrapTokenAuthenticator } from "./bootstrap-token.ts";
export {
  CertificateError,
  CertificatePool,
  type ChainVerdict,
  certificatesOfPem,
  isCertificateError,
} from "./certificate-pool.ts";
export type { ClientCertificateOptions } from "./client-certificate.ts";
export { clientCertificateAuthenticator } from "./client-certificate.ts";
export { CsvError, isCsvError, readCsv } from "./csv.ts";
export { type ObjectLookup, storedObjects } from "./object-lookup.ts";
export { JwtAuthenticator } from "./oidc/jwt-authenticator.ts";
export type { ClaimExpression, ClaimMapping, ClaimRule, ExpressionRule } from "./oidc/jwt-authenticator-config.ts";
export { type JwtAuthenticatorConfig, signingAlgorithms } from "./oidc/jwt-authenticator-config.ts";
export type { RequestHeaderOptions } from "./request-header.ts";
export { requestHeaderAuthenticator } from "./request-header.ts";
export { keptSigningKey } from "./service-account/kept-signing-key.ts";
export type { LegacyTokenOptions } from "./service-account/legacy-token-authenticator.ts";
export { legacyTokenAuthenticator } from "./service-account/legacy-token-authenticator.ts";
export {
  keySetPath,
  type OpenIdMetadata,
  openIdConfigurationPath,
  openIdMetadata,
} from "./service-account/openid-metadata.ts";
export { serviceAccountOf } from "./service-account/service-account-user.ts";
export {
  type SigningKey,
  signingKeyOfPem,
  type VerifyingKey,
  verifyingKeysOfPem,
} from "./service-account/signing-keys.ts";
export type { BoundTokenOptions } from "./service-account/token-authenticator.ts";
export { boundTokenAuthenticator } from "./service-account/token-authenticator.ts";
export type { BoundClaims } from "./service-account/token-signer.ts";
export { ServiceAccountTokenSigner, type TokenReference, type TokenTimes } from "./service-account/token-signer.ts";
export type { VerifiedClaims } from "./service-account/verified-tokens.ts";
export { VerifiedTokens } from "./service-account/verified-tokens.ts";
export { readTokenFile } from "./token-file.ts";
export type { RequestUser } from "./user/user-info.ts";
export type { TokenWebhookOptions } from "./webhook/token-webhook.ts";
export { tokenWebhook } from "./webhook/token-webhook.ts";
export { WebhookClient, type WebhookTarget as RemoteWebhook, webhookTargetOfFile } from "./webhook/webhook-client.ts";
