/** Deeper chains are not followed; one that leads back to itself ends here too. */
const maxDepth = 32;

/**
 * The error itself, or the first in its chain of causes, that `guard` knows: `findCause(error, isStatusError)?.retryAfterMs`. Chains
 * are followed for 32 steps, or up to a cause that cannot be read: anything can be thrown. An `AggregateError` combines several failures, so
 * none of its parts counts.
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
    // A getter or a proxy threw: no error of ours does that.
  }
  return undefined;
}

/** Reports whether something failed only because its signal aborted: with the signal's reason, as an `AbortError`, or because of either. */
export function isCutShort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  const reason: unknown = signal.reason;
  const name = reason instanceof Error && reason.name !== "Error" ? reason.name : "AbortError";
  const isOfSignal = (cause: unknown): cause is unknown =>
    cause === reason || (cause instanceof Error && (cause.name === "AbortError" || cause.name === name));
  return findCause(error, isOfSignal) !== undefined;
}
