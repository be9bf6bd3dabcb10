/**
 * Whether an error is a mistake in the program rather than something that happened to it. JavaScript throws both; upstream's
 * distinction between a panic and a returned error is drawn here. The engine gives no cause with its errors; a `fetch` that finds no
 * server rejects with a `TypeError` that has one, and is no mistake.
 */
export const isPanic = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) &&
  error.cause === undefined;

/** The error that stands for a mistake that was survived. */
export function recovered(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Error(`panic: ${message} [recovered]`, { cause: error });
}
