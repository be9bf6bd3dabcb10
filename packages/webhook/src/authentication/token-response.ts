import { errorText } from "@kubewright/log";

/** Who a token stands for. */
export interface TokenUser {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What a handler answers. @see api/authentication/v1 TokenReviewStatus */
export interface TokenResponse {
  readonly authenticated: boolean;
  readonly user?: TokenUser | undefined;
  /** Why not, or what else is to be told. */
  readonly error?: string | undefined;
  /** Which of the audiences that were asked for the token is meant for. */
  readonly audiences?: readonly string[] | undefined;
}

/**
 * An answer to a TokenReview. Prefer {@link authenticated}, {@link unauthenticated} and {@link tokenErrored} where they fit.
 *
 * @see controller-runtime pkg/webhook/authentication ReviewResponse
 */
export const reviewResponse = (
  isAuthenticated: boolean,
  user: TokenUser,
  error = "",
  ...audiences: readonly string[]
): TokenResponse => ({
  authenticated: isAuthenticated,
  user,
  ...(error === "" ? {} : { error }),
  ...(audiences.length > 0 ? { audiences } : {}),
});

/** The token is this user's. */
export const authenticated = (user: TokenUser, error?: string): TokenResponse => reviewResponse(true, user, error);

/** The token is nobody's. */
export const unauthenticated = (error?: string): TokenResponse => reviewResponse(false, {}, error);

/** Whose it is could not be found out. */
export const tokenErrored = (error: unknown): TokenResponse => ({ authenticated: false, error: errorText(error) });
