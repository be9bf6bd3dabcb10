/** One request, the least that allows it, and what comes back. */
export interface VerbCase {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Rights in the words of `rightOf`; without any one of them the request is refused. */
  readonly needs: readonly string[];
  /** The status with all of them. */
  readonly status: number;
  /** Part of the refusal's text without the right at the same place. Default: that the verb of this right is missing. */
  readonly refusals?: readonly (string | undefined)[];
  /** Status of a refusal. Default 403. */
  readonly refused?: readonly (number | undefined)[];
  /** Other sets of rights that do not do either. */
  readonly notEnough?: readonly (readonly string[])[];
  /** Where a word must not stand afterwards. */
  readonly kept?: readonly [path: string, word: string];
  /** Brings the objects into the state before, as admin: method, path, body. */
  readonly before?: readonly (readonly [method: string, path: string, body?: unknown])[];
  /** The body is sent with the version that the object has. */
  readonly atVersion?: boolean;
  /** Whom to act as. */
  readonly impersonate?: Readonly<Record<string, string | readonly string[]>>;
}
