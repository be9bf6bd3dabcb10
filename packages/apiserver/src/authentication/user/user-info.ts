/** Who asks. @see apiserver pkg/authentication/user Info */
export interface UserInfo {
  readonly name: string;
  /** Tells the user from another one of the same name at another time. */
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What the authenticator knows besides. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
