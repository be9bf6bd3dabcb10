import { isSignedBy } from "./compact-signature.ts";
import type { VerifyingKey } from "./signing-keys.ts";

/** The claims of a token with a valid signature. */
export type VerifiedClaims = Readonly<Record<string, unknown>>;

const maxRemembered = 4_096;

/**
 * Verifies tokens' signatures. Because a client sends the same token with every request, the claims are cached. Callers
 * must check everything that can change (such as times and bound objects) for each request.
 */
export class VerifiedTokens {
  readonly #keys: readonly VerifyingKey[];
  readonly #known = new Map<string, VerifiedClaims>();

  constructor(keys: readonly VerifyingKey[]) {
    this.#keys = keys;
  }

  /** Returns a token's claims. @throws {Error} if the signature is not valid or the signing key is unknown */
  claims(token: string): VerifiedClaims {
    const known = this.#known.get(token);
    if (known) return known;
    const claims = this.#verify(token);
    if (this.#known.size >= maxRemembered) this.#known.clear();
    this.#known.set(token, claims);
    return claims;
  }

  #verify(token: string): VerifiedClaims {
    const header = unverifiedPart(token, 0);
    const claims = unverifiedPart(token, 1);
    const named = this.#keys.filter(({ id }) => id === header?.kid);
    for (const { key, algorithm } of named.length > 0 ? named : this.#keys)
      if (claims && header?.alg === algorithm && isSignedBy(token, algorithm, key)) return claims;
    throw new Error("go-jose/go-jose: error in cryptographic primitive");
  }
}

/**
 * Returns the header (0) or the claims (1) of a token in compact form, without verifying the signature. Returns `undefined` if the text is
 * not a token in compact form.
 */
export function unverifiedPart(token: string, part: 0 | 1): VerifiedClaims | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(parts[part] ?? "", "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined; // not a token in compact form
  }
}
