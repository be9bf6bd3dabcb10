/** A request, its minimal permissions, and the answer. */
export interface VerbCase {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Permissions in the notation of `rightOf`. Without any one of them, the request is refused. */
  readonly needs: readonly string[];
  /** The status with all of them. */
  readonly status: number;
  /** Part of the refusal's text without the permission at the same position. Default: that the verb of this permission is missing. */
  readonly refusals?: readonly (string | undefined)[];
  /** Status of a refusal. Default 403. */
  readonly refused?: readonly (number | undefined)[];
  /** Other sets of permissions that are not sufficient. */
  readonly notEnough?: readonly (readonly string[])[];
  /** A place where a word must not appear afterwards. */
  readonly kept?: readonly [path: string, word: string];
  /** Restores the previous state of the objects as administrator: method, path, body. */
  readonly before?: readonly (readonly [method: string, path: string, body?: unknown])[];
  /** True to send the body with the current version of the object. */
  readonly atVersion?: boolean;
  /** User to impersonate. */
  readonly impersonate?: Readonly<Record<string, string | readonly string[]>>;
}
