/** Maximum length of a chain of causes. The limit also ends cyclic chains. */
const maxDepth = 32;

/**
 * Returns the first error for which `guard` returns true: the error itself, or one in its chain of causes, as in
 * `findCause(error, isStatusError)?.retryAfterMs`. Follows at most 32 causes and stops at a cause that cannot be read.
 * Does not search the errors in an `AggregateError`, because each of them describes only part of the failure.
 *
 * @see Go's errors.As
 */
export function findCause<E>(error: unknown, guard: (error: unknown) => error is E): E | undefined {
  try {
    let current = error;
    for (let depth = 0; depth < maxDepth; depth++) {
      if (guard(current)) return current;
      if (!(current instanceof Error)) return undefined;
      current = current.cause;
    }
  } catch {
    // A getter or a proxy threw an error. The errors of this framework never do that.
  }
  return undefined;
}

/**
 * Reports whether an operation failed only because its signal aborted. This is the case if the error or one of its causes is the signal's
 * reason, an `AbortError`, or an error whose `isInterruption` is true.
 */
export function isCutShort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  const reason: unknown = signal.reason;
  const name = reason instanceof Error && reason.name !== "Error" ? reason.name : "AbortError";
  const isOfSignal = (cause: unknown): cause is unknown =>
    cause === reason ||
    (cause instanceof Error &&
      (cause.name === "AbortError" ||
        cause.name === name ||
        ("isInterruption" in cause && cause.isInterruption === true)));
  return findCause(error, isOfSignal) !== undefined;
}
