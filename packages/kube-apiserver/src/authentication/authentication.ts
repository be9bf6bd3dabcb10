import { quote } from "@kubewright/apimachinery";
import {
  type AuthenticationConfiguration,
  type Authenticator,
  afterValue,
  anonymousAuthenticator,
  bearerTokenAuthenticator,
  bearerTokenWarning,
  bootstrapTokenAuthenticator,
  CertificatePool,
  certificatesOfPem,
  checkJwtAuthenticator,
  clientCertificateAuthenticator,
  forServerAudiences,
  type Identity,
  inAuthenticatedGroup,
  JwtAuthenticator,
  keptSigningKey,
  readAuthenticationConfiguration,
  readTokenFile,
  requestHeaderAuthenticator,
  requiredIdentity,
  storedObjects,
  type TokenAuthenticator,
  tokenWebhook,
  unionAuthenticator,
  unionTokenAuthenticator,
  WebhookClient,
  webhookTargetOfFile,
  webSocketTokenAuthenticator,
} from "@kubewright/apiserver/authentication";
import type { RequestMessage } from "@kubewright/apiserver/http";
import { readOptionFile, statOptionFile } from "@kubewright/apiserver/server";
import type { Clock, Random } from "@kubewright/clock";
import type { Storage } from "@kubewright/storage";
import { type AuthenticationOptions, authenticationOptionErrors } from "./authentication-options.ts";
import { jwtAuthenticatorOfFlags } from "./oidc-flags.ts";
import { ServiceAccountAuthentication } from "./service-account-authentication.ts";

export interface AuthenticationParts {
  readonly options: AuthenticationOptions;
  readonly storage: Storage;
  readonly clock: Clock;
  /** Source of the IDs of tokens. */
  readonly random: Random;
  /** Authenticator for the tokens of the server's own users. */
  readonly ownTokens: TokenAuthenticator;
  /** CAs for client certificates, including the server's own, in PEM format. */
  readonly clientCas: readonly string[];
  /** Directory in which generated keys are stored, if any. */
  readonly identityDirectory: string | undefined;
}

/**
 * Authenticates requests with all configured methods, in kube-apiserver's order.
 *
 * @see kubernetes pkg/kubeapiserver/authenticator Config.New
 */
export class Authentication {
  /**
   * Returns the user who sent a request.
   *
   * @throws {StatusError} 401 if the request's credentials are not valid
   */
  readonly authenticate: (request: RequestMessage) => Promise<Identity> | Identity;
  /** Authenticates the tokens in TokenReviews. */
  readonly authenticateToken: TokenAuthenticator;
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: ServiceAccountAuthentication;
  /** CAs for the certificates of clients and, if there is one, of the front proxy, in PEM format. */
  readonly trusted: { readonly clientCa: string; readonly frontProxyCa: string | undefined };
  /** CAs that the TLS server names when it requests a client certificate, in PEM format. */
  readonly trustedCas: readonly string[];
  readonly #closers: (() => Promise<void>)[] = [];

  /**
   * Creates the authenticators that the options configure.
   *
   * @throws {Error} with kube-apiserver's message if an option or file is not valid
   * @throws {RangeError} if the maximum lifetime of tokens is 0
   */
  constructor(parts: AuthenticationParts) {
    const { options } = parts;
    if (options.serviceAccountMaxTokenExpirationMs === 0)
      throw new RangeError("serviceAccountMaxTokenExpirationMs must be positive, got 0; use Infinity for no limit");
    const errors = authenticationOptionErrors(options);
    if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
    this.serviceAccounts = new ServiceAccountAuthentication({
      ...parts,
      signingKey: () => keptSigningKey(parts.identityDirectory),
    });
    this.apiAudiences = this.serviceAccounts.apiAudiences;
    const { issuers } = this.serviceAccounts;
    const configuration = configurationOf(options, issuers);
    const clientPool = new CertificatePool([
      ...parts.clientCas.flatMap(certificatesOfPem),
      ...authoritiesOf(options.clientCaFile, "client-ca-bundle"),
    ]);
    const proxyPool = options.requestheaderClientCaFile
      ? new CertificatePool(authoritiesOf(options.requestheaderClientCaFile, "request-header"))
      : undefined;
    this.trusted = { clientCa: clientPool.pem.join(""), frontProxyCa: proxyPool?.pem.join("") };
    this.trustedCas = [...clientPool.pem, ...(proxyPool?.pem ?? [])];
    this.authenticateToken = unionTokenAuthenticator(this.#tokenKinds(parts, configuration));
    const known = unionAuthenticator([
      ...(proxyPool ? [this.#frontProxy(options, proxyPool)] : []),
      clientCertificateAuthenticator(clientPool),
      bearerTokenAuthenticator(this.authenticateToken, this.apiAudiences),
      webSocketTokenAuthenticator(this.authenticateToken, this.apiAudiences),
    ]);
    const required = requiredIdentity(inAuthenticatedGroup(known), anonymousOf(options, configuration));
    this.authenticate = (request) => {
      const warning = bearerTokenWarning(request);
      const known = required(request);
      return warning === undefined ? known : afterValue(known, (identity) => ({ ...identity, warnings: [warning] }));
    };
  }

  /** Closes connections to issuers and webhooks. */
  async close(): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()));
  }

  #frontProxy(options: AuthenticationOptions, pool: CertificatePool): Authenticator {
    return requestHeaderAuthenticator({
      pool,
      allowedNames: options.requestheaderAllowedNames ?? [],
      usernameHeaders: options.requestheaderUsernameHeaders ?? [],
      uidHeaders: options.requestheaderUidHeaders ?? [],
      groupHeaders: options.requestheaderGroupHeaders ?? [],
      extraHeadersPrefix: options.requestheaderExtraHeadersPrefix ?? [],
      audiences: this.apiAudiences,
    });
  }

  #tokenKinds(
    { options, clock, storage, ownTokens }: AuthenticationParts,
    { jwt }: AuthenticationConfiguration,
  ): TokenAuthenticator[] {
    const forServer = (kind: TokenAuthenticator) => forServerAudiences(kind, this.apiAudiences);
    const kinds = [forServer(ownTokens)];
    const { tokenAuthFile, authenticationTokenWebhookConfigFile: webhookFile } = options;
    if (tokenAuthFile) {
      const tokens = readTokenFile(tokenAuthFile, readOptionFile(tokenAuthFile));
      kinds.push(forServer(tokens.authenticate));
    }
    kinds.push(...this.serviceAccounts.authenticators);
    if (options.enableBootstrapTokenAuth)
      kinds.push(forServer(bootstrapTokenAuthenticator(storedObjects(storage), clock)));
    for (const config of jwt) {
      const authenticator = new JwtAuthenticator(config, clock);
      this.#closers.push(() => authenticator.close());
      kinds.push(forServer(authenticator.authenticate));
    }
    if (webhookFile) {
      statOptionFile(webhookFile);
      const client = new WebhookClient(webhookTargetOfFile(webhookFile), clock);
      this.#closers.push(() => client.close());
      const { authenticationTokenWebhookVersion: version = "v1beta1" } = options;
      const cacheTtlMs = options.authenticationTokenWebhookCacheTtlMs ?? 120_000;
      kinds.push(tokenWebhook({ client, version, cacheTtlMs, apiAudiences: this.apiAudiences, clock }));
    }
    return kinds;
  }
}

function configurationOf(options: AuthenticationOptions, issuers: readonly string[]): AuthenticationConfiguration {
  const path = options.authenticationConfig;
  if (path) {
    const attempt = `failed to load authentication configuration from file ${quote(path)}: `;
    const configuration = readAuthenticationConfiguration(path, readOptionFile(path, attempt), issuers);
    if (configuration.anonymous && options.anonymousAuth !== undefined)
      throw new Error(
        "anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file",
      );
    return configuration;
  }
  const certificateAuthority = options.oidcCaFile ? readOptionFile(options.oidcCaFile) : undefined;
  const fromFlags = jwtAuthenticatorOfFlags(options, certificateAuthority);
  if (fromFlags) checkJwtAuthenticator(fromFlags);
  return { jwt: fromFlags ? [fromFlags] : [] };
}

function anonymousOf(
  { anonymousAuth = true }: AuthenticationOptions,
  { anonymous = { enabled: anonymousAuth } }: AuthenticationConfiguration,
): Authenticator | undefined {
  return anonymous.enabled ? anonymousAuthenticator(anonymous.paths) : undefined;
}

function authoritiesOf(path: string | undefined, purpose: string) {
  if (!path) return [];
  const pem = readOptionFile(path);
  try {
    return certificatesOfPem(pem);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`error loading CA bundle for ${quote(`${purpose}::${path}`)}: ${why}`, { cause });
  }
}
