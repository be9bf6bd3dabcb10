/** Authenticated user. @see apiserver pkg/authentication/user Info */
export interface RequestUser {
  readonly name: string;
  /** Identifies the user among all users that have had the same name over time. */
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  /** Additional attributes from the authenticator. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
