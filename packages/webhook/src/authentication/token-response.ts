import { errorText } from "@kubewright/log";

/** The user that a token identifies. */
export interface TokenUser {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A token handler's response. @see api/authentication/v1 TokenReviewStatus */
export interface TokenReviewResponse {
  readonly authenticated: boolean;
  readonly user?: TokenUser | undefined;
  /** Reason why the token was rejected, or another message. */
  readonly error?: string | undefined;
  /** Requested audiences for which the token is valid. */
  readonly audiences?: readonly string[] | undefined;
}

/**
 * Returns a response to a TokenReview. Prefer {@link authenticated}, {@link unauthenticated} and {@link tokenErrored} where possible.
 *
 * @see controller-runtime pkg/webhook/authentication ReviewResponse
 */
export const reviewResponse = (
  isAuthenticated: boolean,
  user: TokenUser,
  error = "",
  ...audiences: readonly string[]
): TokenReviewResponse => ({
  authenticated: isAuthenticated,
  user,
  ...(error === "" ? {} : { error }),
  ...(audiences.length > 0 ? { audiences } : {}),
});

/** Returns a response stating that the token identifies this user. */
export const authenticated = (user: TokenUser, error?: string): TokenReviewResponse =>
  reviewResponse(true, user, error);

/** Returns a response stating that the token does not identify a user. */
export const unauthenticated = (error?: string): TokenReviewResponse => reviewResponse(false, {}, error);

/** Returns a response stating that the token could not be checked. */
export const tokenErrored = (error: unknown): TokenReviewResponse => ({
  authenticated: false,
  error: errorText(error),
});
