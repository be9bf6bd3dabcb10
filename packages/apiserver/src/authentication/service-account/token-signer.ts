import { randomUUID } from "node:crypto";
import { signCompact } from "./compact-signature.ts";
import type { SigningKey } from "./signing-keys.ts";

/** An object that a token names. */
export interface TokenReference {
  readonly name: string;
  readonly uid?: string;
}

/** What a token says of whom it was made for. @see kubernetes pkg/serviceaccount/claims.go */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceaccount: TokenReference;
  readonly pod?: TokenReference;
  readonly secret?: TokenReference;
  readonly node?: TokenReference;
  /** Seconds since 1970: from then on its use is worth a warning in the audit log. */
  readonly warnafter?: number;
}

/** From when and for how long a token holds. */
export interface TokenTimes {
  /** Milliseconds since 1970; a token has whole seconds, rounded down. */
  readonly nowMs: number;
  /** Counted from `nowMs`. */
  readonly expirationSeconds: number;
}

/** The issuer of tokens that controllers put into secrets. */
export const legacyIssuer = "kubernetes/serviceaccount";

/** Signs tokens of ServiceAccounts. @see kubernetes pkg/serviceaccount JWTTokenGenerator */
export class ServiceAccountTokenSigner {
  readonly issuer: string;
  readonly #key: SigningKey;

  constructor(issuer: string, key: SigningKey) {
    this.issuer = issuer;
    this.#key = key;
  }

  /** A token for some time, for some audiences, bound to objects. */
  async boundToken(
    claims: BoundClaims,
    audiences: readonly string[],
    { nowMs, expirationSeconds }: TokenTimes,
  ): Promise<{ readonly token: string; readonly id: string }> {
    const now = Math.floor(nowMs / 1_000);
    const id = randomUUID();
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
   * The token of a Secret of type `kubernetes.io/service-account-token`: it holds as long as the Secret and the account do.
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
