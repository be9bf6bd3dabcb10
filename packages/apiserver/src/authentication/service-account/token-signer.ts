import { type Random, systemRandom } from "@kubewright/clock";
import { signCompact } from "./compact-signature.ts";
import type { SigningKey } from "./signing-keys.ts";

/** An object to which a token is bound. */
export interface TokenReference {
  readonly name: string;
  readonly uid?: string | undefined;
}

/** Kubernetes' private claims in a bound token. @see kubernetes pkg/serviceaccount/claims.go */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceaccount: TokenReference;
  readonly pod?: TokenReference | undefined;
  readonly secret?: TokenReference | undefined;
  readonly node?: TokenReference | undefined;
  /** Time after which each use of the token adds a warning to the audit log, in seconds since 1970. */
  readonly warnafter?: number | undefined;
}

/** A token's validity period. */
export interface TokenTimes {
  /** Current time, in milliseconds since 1970. Rounded down to seconds in the token. */
  readonly nowMs: number;
  /** Lifetime of the token, counted from `nowMs`. */
  readonly expirationSeconds: number;
}

/** Issuer of tokens in Secrets, which are created by a controller. */
export const legacyIssuer = "kubernetes/serviceaccount";

/** Signs ServiceAccount tokens. @see kubernetes pkg/serviceaccount JWTTokenGenerator */
export class ServiceAccountTokenSigner {
  readonly issuer: string;
  readonly #key: SigningKey;
  readonly #random: Random;

  /** @param random source of the IDs of tokens */
  constructor(issuer: string, key: SigningKey, random: Random = systemRandom) {
    this.issuer = issuer;
    this.#key = key;
    this.#random = random;
  }

  /** Returns a token with a limited lifetime, for certain audiences, and bound to objects. */
  async boundToken(
    claims: BoundClaims,
    audiences: readonly string[],
    { nowMs, expirationSeconds }: TokenTimes,
  ): Promise<{ readonly token: string; readonly id: string }> {
    const now = Math.floor(nowMs / 1_000);
    const id = this.#random.uuid();
    const token = this.#sign({
      aud: [...audiences],
      exp: now + expirationSeconds,
      iat: now,
      iss: this.issuer,
      jti: id,
      "kubernetes.io": claims,
      nbf: now,
      sub: subjectOf(claims.namespace, claims.serviceaccount.name),
    });
    return { token, id };
  }

  /**
   * Returns the token for a Secret of the type `kubernetes.io/service-account-token`. The token is valid as long as the Secret and the
   * service account exist.
   *
   * @see kubernetes pkg/serviceaccount LegacyClaims
   */
  async legacyToken(
    account: { readonly namespace: string; readonly name: string; readonly uid: string },
    secret: string,
  ): Promise<string> {
    return this.#sign({
      iss: legacyIssuer,
      "kubernetes.io/serviceaccount/namespace": account.namespace,
      "kubernetes.io/serviceaccount/secret.name": secret,
      "kubernetes.io/serviceaccount/service-account.name": account.name,
      "kubernetes.io/serviceaccount/service-account.uid": account.uid,
      sub: subjectOf(account.namespace, account.name),
    });
  }

  #sign(claims: Record<string, unknown>): string {
    const { algorithm, id, privateKey } = this.#key;
    return signCompact({ alg: algorithm, kid: id }, claims, privateKey);
  }
}

const subjectOf = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;
