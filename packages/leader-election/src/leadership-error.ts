/** Thrown if this process does not lead, or no longer leads; the work now belongs to another process. */
export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

/** Reports whether an error was caused by a lack of leadership; the next leader will do the work. */
export const isNotLeading = (error: unknown): error is NotLeadingError => error instanceof NotLeadingError;
