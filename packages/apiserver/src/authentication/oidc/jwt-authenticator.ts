import { quote, quoteList } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { TokenAuthenticator } from "../bearer-token.ts";
import { unverifiedPart } from "../service-account/verified-tokens.ts";
import type { RequestUser } from "../user/user-info.ts";
import { claimsToUser } from "./claims-to-user.ts";
import type { JwtAuthenticatorConfig } from "./jwt-authenticator-config.ts";
import { NotInitialized, OidcProvider } from "./oidc-provider.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Authenticates tokens from an OpenID Connect issuer. @see apiserver plugin/pkg/authenticator/token/oidc */
export class JwtAuthenticator implements AsyncDisposable {
  readonly #config: JwtAuthenticatorConfig;
  readonly #provider: OidcProvider;
  readonly #toUser: (claims: Claims) => RequestUser;
  readonly #clock: Clock;

  constructor(config: JwtAuthenticatorConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    this.#toUser = claimsToUser(config);
    const { issuer, signingAlgs } = config;
    this.#provider = new OidcProvider({
      issuer: issuer.url,
      ...(issuer.discoveryURL ? { discoveryUrl: issuer.discoveryURL } : {}),
      ...(issuer.certificateAuthority ? { certificateAuthority: issuer.certificateAuthority } : {}),
      signingAlgs,
      clock,
    });
  }

  readonly authenticate: TokenAuthenticator = async (token) => {
    const claims = unverifiedPart(token, 1);
    if (!claims || issuerOf(claims) !== this.#config.issuer.url) return undefined;
    try {
      this.#check(token, claims);
      await this.#provider.verify(token);
    } catch (error) {
      if (error instanceof NotInitialized) throw error;
      throw new Error(`oidc: verify token: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    return { user: this.#toUser(claims) };
  };

  close(): Promise<void> {
    return this.#provider.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Checks a token's audiences, times and signing algorithm, which is possible without the issuer's keys. */
  #check(token: string, claims: Claims): void {
    const { issuer, signingAlgs } = this.#config;
    const audiences = (Array.isArray(claims.aud) ? claims.aud : [claims.aud]).filter(isText);
    if (!issuer.audiences.some((audience) => audiences.includes(audience)))
      throw new Error(
        issuer.audiences.length === 1
          ? `oidc: expected audience ${quote(issuer.audiences[0] ?? "")} got ${quoteList(audiences)}`
          : `oidc: expected audience in ${quoteList([...issuer.audiences].sort())} got ${quoteList(audiences)}`,
      );
    const now = this.#clock.now() / 1_000;
    for (const name of ["exp", "nbf"] as const)
      if (typeof claims[name] === "number" && !(Math.abs(claims[name]) <= maxSeconds))
        throw new Error(`oidc: failed to unmarshal claims: ${name} is not a valid time`);
    const expires = typeof claims.exp === "number" ? claims.exp : 0;
    if (expires < now)
      throw new Error(`oidc: token is expired (Token Expiry: ${new Date(expires * 1_000).toISOString()})`);
    const leewaySeconds = 300;
    if (typeof claims.nbf === "number" && now + leewaySeconds < claims.nbf)
      throw new Error(
        `oidc: current time ${new Date(now * 1_000).toISOString()} before the nbf (not before) time: ${new Date(claims.nbf * 1_000).toISOString()}`,
      );
    const algorithm = String(unverifiedPart(token, 0)?.alg);
    if (!signingAlgs.includes(algorithm))
      throw new Error(
        `oidc: malformed jwt: unexpected signature algorithm ${quote(algorithm ?? "")}; expected ${quoteList(signingAlgs)}`,
      );
  }
}

/** Maximum number of seconds that a `Date` can represent. Go rejects larger times as well. */
const maxSeconds = 8.64e12;

const isText = (value: unknown): value is string => typeof value === "string";

/** Returns the issuer of a token. Google formerly used an issuer name without a scheme. */
const issuerOf = ({ iss }: Claims): unknown => (iss === "accounts.google.com" ? "https://accounts.google.com" : iss);
