/**
 * Thrown if no response arrived: the server could not be reached, the connection broke, or the response was truncated. The message
 * contains the attempted call, `cause` the reason. It is unknown whether the server processed the request.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** HTTP method: `GET`, `POST` ... */
  readonly method: string;
  /** URL, without the query. */
  readonly url: string;

  constructor(
    attempt: { readonly method: string; readonly url: string; readonly what?: string | undefined },
    cause: unknown,
  ) {
    super(`${attempt.what ? `${attempt.what}: ` : ""}${attempt.method} ${attempt.url}: ${reasonOf(cause)}`, { cause });
    this.method = attempt.method;
    this.url = attempt.url;
  }
}

/**
 * Reports whether an error itself is a {@link ConnectionError}. For one that may be wrapped, use `findCause(error, isConnectionError)`.
 */
export const isConnectionError = (error: unknown): error is ConnectionError => error instanceof ConnectionError;

/** Returns the most informative message in a chain of causes; if connecting to several addresses failed, those of all parts. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0)
    return cause.errors.map((part: unknown) => reasonOf(part)).join("; ");
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}
