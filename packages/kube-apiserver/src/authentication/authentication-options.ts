import { quote } from "@kubewright/apimachinery";
/**
 * Authentication options, named like kube-apiserver's flags, but in camel case. Options whose names end in `File` are
 * paths of files that are read at startup. If a file's content is not valid, startup fails with kube-apiserver's error.
 * The server's own users (with certificates and tokens) and its own signer for ServiceAccount tokens always work in
 * addition.
 *
 * @see kubernetes pkg/kubeapiserver/options BuiltInAuthenticationOptions
 */
export interface AuthenticationOptions {
  /** True to treat requests without credentials as `system:anonymous`. Default true. */
  readonly anonymousAuth?: boolean | undefined;
  /** File with an `AuthenticationConfiguration` (jwt, anonymous). Cannot be combined with `oidc…` options. */
  readonly authenticationConfig?: string | undefined;
  /** Accepted token audiences. Default: the issuers of ServiceAccount tokens. */
  readonly apiAudiences?: readonly string[] | undefined;
  /** Kubeconfig that specifies where to send TokenReviews. */
  readonly authenticationTokenWebhookConfigFile?: string | undefined;
  /** API version of the TokenReviews that are sent. Default `v1beta1`. */
  readonly authenticationTokenWebhookVersion?: string | undefined;
  /** Time for which a webhook's response is cached, in milliseconds. Default 120000. */
  readonly authenticationTokenWebhookCacheTtlMs?: number | undefined;
  /** PEM file with a CA for client certificates. The server's own client CA is always trusted too. */
  readonly clientCaFile?: string | undefined;
  /** True to accept Secrets of type `bootstrap.kubernetes.io/token` in `kube-system` as tokens. Default false. */
  readonly enableBootstrapTokenAuth?: boolean | undefined;
  /** HTTPS URL of the issuer whose ID tokens are accepted. Requires `oidcClientId`. */
  readonly oidcIssuerUrl?: string | undefined;
  /** Audience that tokens must have. */
  readonly oidcClientId?: string | undefined;
  /** CA file for verifying the issuer. Default: the machine's root CAs. */
  readonly oidcCaFile?: string | undefined;
  /** Claim that contains the user name. Default `sub`. */
  readonly oidcUsernameClaim?: string | undefined;
  /** Prefix for user names; `-` means none. Default: the issuer followed by `#`, or none for the claim `email`. */
  readonly oidcUsernamePrefix?: string | undefined;
  /** Claim that contains the user's groups. Default: none. */
  readonly oidcGroupsClaim?: string | undefined;
  /** Prefix for group names. Default: none. */
  readonly oidcGroupsPrefix?: string | undefined;
  /** Claims that tokens must contain, with their required values. Default: none. */
  readonly oidcRequiredClaim?: Readonly<Record<string, string>> | undefined;
  /** Accepted signing algorithms. Default `["RS256"]`. */
  readonly oidcSigningAlgs?: readonly string[] | undefined;
  /** PEM file with the CA of the front proxy, which sends the user in headers. */
  readonly requestheaderClientCaFile?: string | undefined;
  /** Permitted common names of the front proxy. Default: any. */
  readonly requestheaderAllowedNames?: readonly string[] | undefined;
  /**
   * Headers that contain the user name. If a request has several of them, the first one in this list counts. Default: none, which disables
   * this authentication method.
   */
  readonly requestheaderUsernameHeaders?: readonly string[] | undefined;
  readonly requestheaderUidHeaders?: readonly string[] | undefined;
  /** Headers that contain the user's groups. Default: none. */
  readonly requestheaderGroupHeaders?: readonly string[] | undefined;
  /** Prefixes of headers with further attributes, such as `X-Remote-Extra-`. Default: none. */
  readonly requestheaderExtraHeadersPrefix?: readonly string[] | undefined;
  /**
   * Issuers of ServiceAccount tokens. New tokens name the first issuer; tokens of all issuers are accepted. Default
   * `["https://kubernetes.default.svc"]`.
   */
  readonly serviceAccountIssuer?: readonly string[] | undefined;
  /** PEM files of public or private keys for verifying ServiceAccount tokens. Default: the signing key. */
  readonly serviceAccountKeyFiles?: readonly string[] | undefined;
  /** PEM file with a private RSA or EC key for signing tokens. Default: a generated EC key. */
  readonly serviceAccountSigningKeyFile?: string | undefined;
  readonly serviceAccountJwksUri?: string | undefined;
  /** True to reject the tokens of deleted ServiceAccounts. Default true. */
  readonly serviceAccountLookup?: boolean | undefined;
  /**
   * Maximum lifetime of tokens. If a client requests a longer lifetime, it is reduced to the maximum. Default: `Infinity`, which means no
   * limit.
   */
  readonly serviceAccountMaxTokenExpirationMs?: number | undefined;
  /** True to extend the lifetime of pods' tokens to a year if it is requested as 3607 seconds, as kubelets do. Default true. */
  readonly serviceAccountExtendTokenExpiration?: boolean | undefined;
  /** CSV file with the columns token, user, UID and (optionally) groups. */
  readonly tokenAuthFile?: string | undefined;
}

/**
 * Returns the errors in authentication options, with kube-apiserver's messages. The result is empty if the options are
 * valid. Does not read any files. Options that kube-apiserver requires are optional if this server has a default for
 * them.
 *
 * @see kubernetes pkg/kubeapiserver/options BuiltInAuthenticationOptions.Validate
 */
export function authenticationOptionErrors(options: AuthenticationOptions): string[] {
  return [
    ...oidcErrors(options),
    ...issuerErrors(options.serviceAccountIssuer ?? []),
    ...jwksUriErrors(options.serviceAccountJwksUri),
    ...expirationErrors(options.serviceAccountMaxTokenExpirationMs),
    ...requestHeaderErrors(options),
  ];
}

const oidcNames = [
  "oidcIssuerUrl",
  "oidcClientId",
  "oidcCaFile",
  "oidcUsernameClaim",
  "oidcUsernamePrefix",
  "oidcGroupsClaim",
  "oidcGroupsPrefix",
  "oidcRequiredClaim",
  "oidcSigningAlgs",
] as const;

function oidcErrors(options: AuthenticationOptions): string[] {
  if (oidcNames.every((name) => options[name] === undefined)) return [];
  if (options.authenticationConfig) return ["authentication-config file and oidc-* flags are mutually exclusive"];
  if (options.oidcIssuerUrl && options.oidcClientId) return [];
  return ["oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set"];
}

function issuerErrors(issuers: readonly string[]): string[] {
  return issuers.flatMap((issuer, i) => {
    if (issuer === "") return ["service-account-issuer should not be an empty string"];
    if (issuer.includes(":") && !URL.canParse(issuer))
      return [
        `service-account-issuer ${quote(issuer)} contained a ':' but was not a valid URL: parse ${quote(issuer)}: first path segment in URL cannot contain colon`,
      ];
    if (issuers.indexOf(issuer) < i) return [`service-account-issuer ${quote(issuer)} is already specified`];
    return [];
  });
}

function jwksUriErrors(uri: string | undefined): string[] {
  if (!uri) return [];
  const { protocol } = URL.canParse(uri) ? new URL(uri) : { protocol: "" };
  return protocol === "https:" ? [] : [`service-account-jwks-uri requires https scheme, parsed as: ${uri}`];
}

const hourMs = 3_600_000;

function expirationErrors(maxMs = Number.POSITIVE_INFINITY): string[] {
  if (maxMs === Number.POSITIVE_INFINITY || (maxMs >= hourMs && maxMs <= 2 ** 32 * 1_000)) return [];
  return ["the service-account-max-token-expiration must be between 1 hour and 2^32 seconds"];
}

function requestHeaderErrors(options: AuthenticationOptions): string[] {
  const blank = (flag: string, values: readonly string[] = []): string[] =>
    values
      .filter((value) => value.trim() === "")
      .slice(0, 1)
      .map(() => `empty value in ${quote(flag)}`);
  const uids = options.requestheaderUidHeaders ?? [];
  return [
    ...blank("requestheader-username-headers", options.requestheaderUsernameHeaders),
    ...blank("requestheader-group-headers", options.requestheaderGroupHeaders),
    ...blank("requestheader-extra-headers-prefix", options.requestheaderExtraHeadersPrefix),
    ...blank("requestheader-allowed-names", options.requestheaderAllowedNames),
    ...blank("requestheader-uid-headers", uids),
    ...(uids.length > 0 && !uids.some((name) => name.toLowerCase() === "x-remote-uid")
      ? [
          "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work",
        ]
      : []),
  ];
}
