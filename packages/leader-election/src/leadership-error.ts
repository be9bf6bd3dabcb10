/**
 * This process does not lead, or no longer: what it was about to do is another's task now.
 */
export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

/** Whether something was not done because this process does not lead: the next leader does it. */
export const isNotLeading = (error: unknown): error is NotLeadingError => error instanceof NotLeadingError;
