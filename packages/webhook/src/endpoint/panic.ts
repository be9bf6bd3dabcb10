/**
 * Whether an error is a mistake in the program rather than something that happened to it: one of the engine's own, which have no cause.
 * A `fetch` that finds no server rejects with a `TypeError` that has one, and is no mistake.
 */
export const isPanic = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) &&
  error.cause === undefined;

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
