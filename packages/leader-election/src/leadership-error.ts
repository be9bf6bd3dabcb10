/**
 * This process does not lead, or no longer: what it was about to do is another's task now.
 */
export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

export const isNotLeading = (error: unknown): error is NotLeadingError => error instanceof NotLeadingError;
