/**
 * A token issuer's configuration, including the mapping from claims to users.
 *
 * @see apiserver pkg/apis/apiserver JWTAuthenticator
 */
export interface JwtAuthenticatorConfig {
  readonly issuer: {
    readonly url: string;
    readonly discoveryURL?: string | undefined;
    /** CA certificates that verify the issuer's server, in PEM format. */
    readonly certificateAuthority?: string | undefined;
    readonly audiences: readonly string[];
  };
  readonly claimValidationRules: readonly (ClaimRule | ExpressionRule)[];
  readonly claimMappings: {
    readonly username: ClaimMapping | ClaimExpression;
    readonly groups?: ClaimMapping | ClaimExpression | undefined;
    readonly uid?: { readonly claim: string } | ClaimExpression | undefined;
    readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[] | undefined;
  };
  readonly userValidationRules?: readonly ExpressionRule[] | undefined;
  readonly signingAlgs: readonly string[];
}

/** Maps a token's claim to a user name or groups, with a prefix. */
export interface ClaimMapping {
  readonly claim: string;
  readonly prefix: string;
}

/** A CEL expression over a token's claims or over the user that they define. */
export interface ClaimExpression {
  readonly expression: string;
}

/** Requires a claim to have a certain value. */
export interface ClaimRule {
  readonly claim: string;
  readonly requiredValue: string;
}

/** Requires a CEL expression to be true. */
export interface ExpressionRule extends ClaimExpression {
  /** Error message if the expression is false. */
  readonly message: string;
}

/** Supported signing algorithms for tokens. */
export const signingAlgorithms = [
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
] as const;
