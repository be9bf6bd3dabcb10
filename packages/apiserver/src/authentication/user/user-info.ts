/** The user who sent a request. @see apiserver pkg/authentication/user Info */
export interface RequestUser {
  readonly name: string;
  /** Identifier that distinguishes the user from all other users who have ever had the same name. */
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  /** Additional attributes that the authenticator adds. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
