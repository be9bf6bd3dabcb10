/** Thrown if this process does not lead, or no longer leads: the work is now that of another process. */
export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

/** Reports whether an error was caused by missing leadership: the next leader does the work. */
export const isNotLeading = (error: unknown): error is NotLeadingError => error instanceof NotLeadingError;
