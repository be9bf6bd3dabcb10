import { quote } from "@kubewright/apimachinery";
/**
 * Who may come in, and how they prove it. Names are kube-apiserver's flags in camel case; `…File` names a file that is read at
 * start, and wrong content ends the start with kube-apiserver's error. Whatever is set, the server's own users (by certificate and
 * token) and its own signer of ServiceAccount tokens work beside it.
 *
 * @see kubernetes pkg/kubeapiserver/options BuiltInAuthenticationOptions
 */
export interface AuthenticationOptions {
  /** Requests without credentials are `system:anonymous`. Default true. */
  readonly anonymousAuth?: boolean;
  /** An `AuthenticationConfiguration` (jwt, anonymous). Not together with `oidc…`. */
  readonly authenticationConfig?: string;
  /** Audiences that tokens must be meant for. Default: the issuers of ServiceAccount tokens. */
  readonly apiAudiences?: readonly string[];
  /** A kubeconfig: where to send TokenReviews. */
  readonly authenticationTokenWebhookConfigFile?: string;
  /** Version of the TokenReview that is sent. Default `v1beta1`. */
  readonly authenticationTokenWebhookVersion?: string;
  /** Default 120000. */
  readonly authenticationTokenWebhookCacheTtlMs?: number;
  /** PEM file. Its clients come in beside those of the server's own client CA. */
  readonly clientCaFile?: string;
  /** Secrets of type `bootstrap.kubernetes.io/token` in `kube-system` are tokens. Default false. */
  readonly enableBootstrapTokenAuth?: boolean;
  /** `https:`; whose ID tokens are taken. Goes with `oidcClientId`. */
  readonly oidcIssuerUrl?: string;
  /** What tokens must name as their audience. */
  readonly oidcClientId?: string;
  /** Default: the machine's root certificates. */
  readonly oidcCaFile?: string;
  /** Default `sub`. */
  readonly oidcUsernameClaim?: string;
  /** Default: the issuer and `#`, but nothing for the claim `email`; `-` is nothing. */
  readonly oidcUsernamePrefix?: string;
  /** Default: tokens say nothing of groups. */
  readonly oidcGroupsClaim?: string;
  /** Default: none. */
  readonly oidcGroupsPrefix?: string;
  /** Claims that tokens must have, and with which value. Default: none. */
  readonly oidcRequiredClaim?: Readonly<Record<string, string>>;
  /** Default `["RS256"]`. */
  readonly oidcSigningAlgs?: readonly string[];
  /** PEM file. Certificates by this CA are those of a front proxy, which names the user in headers. */
  readonly requestheaderClientCaFile?: string;
  /** Common names of the front proxy. Default: any. */
  readonly requestheaderAllowedNames?: readonly string[];
  /** In which headers the front proxy names the user; the first that is there counts. Default: none, and no user comes in by it. */
  readonly requestheaderUsernameHeaders?: readonly string[];
  readonly requestheaderUidHeaders?: readonly string[];
  /** In which headers it names groups. Default: none. */
  readonly requestheaderGroupHeaders?: readonly string[];
  /** How headers begin that say more of the user: `X-Remote-Extra-`. Default: none. */
  readonly requestheaderExtraHeadersPrefix?: readonly string[];
  /** The first one signs; tokens of all of them are accepted. Default `["https://kubernetes.default.svc"]`. */
  readonly serviceAccountIssuer?: readonly string[];
  /** PEM files of public or private keys that ServiceAccount tokens may be signed with. Default: the signing key. */
  readonly serviceAccountKeyFiles?: readonly string[];
  /** PEM file of a private key, RSA or EC. Default: an EC key made at start. */
  readonly serviceAccountSigningKeyFile?: string;
  readonly serviceAccountJwksUri?: string;
  /** Tokens of ServiceAccounts that are gone are refused. Default true. */
  readonly serviceAccountLookup?: boolean;
  /** Tokens that live longer are shortened. Default: no limit. */
  readonly serviceAccountMaxTokenExpirationMs?: number;
  /** Tokens of pods that ask for 3607 seconds live a year. Default true. */
  readonly serviceAccountExtendTokenExpiration?: boolean;
  /** CSV: token, user, uid and optionally groups. */
  readonly tokenAuthFile?: string;
}

/**
 * What speaks against a set of options, in kube-apiserver's words; empty where nothing does. Files are not read. Options that
 * kube-apiserver demands and this server has a default for are not demanded.
 *
 * @see kubernetes pkg/kubeapiserver/options BuiltInAuthenticationOptions.Validate
 */
export function authenticationOptionErrors(options: AuthenticationOptions): string[] {
  return [
    ...oidcErrors(options),
    ...issuerErrors(options.serviceAccountIssuer ?? []),
    ...jwksUriErrors(options.serviceAccountJwksUri),
    ...expirationErrors(options.serviceAccountMaxTokenExpirationMs ?? 0),
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

function expirationErrors(maxMs: number): string[] {
  if (maxMs === 0 || (maxMs >= hourMs && maxMs <= 2 ** 32 * 1_000)) return [];
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
