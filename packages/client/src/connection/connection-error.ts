/**
 * No answer came: the server could not be reached, the connection broke, or the answer was cut off. The message says what was
 * attempted, `cause` why it failed. Whether the server acted on the request is unknown.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** `GET`, `POST` ... */
  readonly method: string;
  /** Without the query. */
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

/** Whether this very error is a {@link ConnectionError}. One that may be wrapped: `findCause(error, isConnectionError)`. */
export const isConnectionError = (error: unknown): error is ConnectionError => error instanceof ConnectionError;

/** The most telling sentence in a chain of causes; a refused connection to two addresses has it in the parts. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0)
    return cause.errors.map((part: unknown) => reasonOf(part)).join("; ");
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}
