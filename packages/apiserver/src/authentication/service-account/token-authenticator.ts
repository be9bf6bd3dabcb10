import { quoteList } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { TokenAuthenticator } from "../bearer-token.ts";
import type { ObjectLookup } from "../object-lookup.ts";
import { checkBoundObjects } from "./bound-objects.ts";
import { serviceAccountUser } from "./service-account-user.ts";
import { unverifiedPart, type VerifiedClaims, type VerifiedTokens } from "./verified-tokens.ts";

/** Options for ServiceAccount tokens that are bound to an object and expire. */
export interface BoundTokenOptions {
  readonly tokens: VerifiedTokens;
  readonly issuers: readonly string[];
  /** Audiences for tokens that do not specify any. */
  readonly apiAudiences: readonly string[];
  readonly lookup: ObjectLookup;
  readonly clock: Clock;
}

/**
 * Returns an authenticator for tokens created by TokenRequests.
 *
 * @see kubernetes pkg/serviceaccount JWTTokenAuthenticator, NewValidator
 */
export function boundTokenAuthenticator(options: BoundTokenOptions): TokenAuthenticator {
  const { tokens, issuers, apiAudiences, lookup, clock } = options;
  return async (token, wanted) => {
    const issuer = unverifiedPart(token, 1)?.iss;
    if (typeof issuer !== "string" || !issuers.includes(issuer)) return undefined;
    const claims = tokens.claims(token);
    const audiences = commonAudiences(audiencesOf(claims) ?? apiAudiences, wanted);
    checkTimes(claims, clock.now());
    const bound = await checkBoundObjects(claims["kubernetes.io"], lookup, clock.now());
    const { jti } = claims;
    return { user: serviceAccountUser({ ...bound, ...(typeof jti === "string" ? { tokenId: jti } : {}) }), audiences };
  };
}

function audiencesOf({ aud }: VerifiedClaims): readonly string[] | undefined {
  const list = (Array.isArray(aud) ? aud : [aud]).filter((one): one is string => typeof one === "string");
  return list.length > 0 ? list : undefined;
}

/** Returns the requested audiences for which a token is valid. @throws {Error} if the token is not valid for any of them */
export function commonAudiences(ofToken: readonly string[], wanted: readonly string[]): readonly string[] {
  const common = ofToken.filter((audience) => wanted.includes(audience));
  if (common.length > 0) return common;
  throw new Error(`token audiences ${quoteList(ofToken)} is invalid for the target audiences ${quoteList(wanted)}`);
}

/** Tolerated difference between the clocks of two machines. */
const leewaySeconds = 60;

function checkTimes({ exp, nbf, iat }: VerifiedClaims, nowMs: number): void {
  const now = nowMs / 1_000;
  if (typeof nbf === "number" && now + leewaySeconds < nbf) throw new Error("service account token is not valid yet");
  if (typeof exp === "number" && now - leewaySeconds > exp) throw new Error("service account token has expired");
  if (typeof iat === "number" && now + leewaySeconds < iat)
    throw new Error("service account token is issued in the future");
}
