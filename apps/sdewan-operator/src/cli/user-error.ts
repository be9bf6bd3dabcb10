/** An error that the user can fix. The program prints it on one line and exits with code 2. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** Matches white space, and characters with a special meaning in a terminal: messages may contain text of a CNF or of a file. */
const spaces = /[\s\p{Cc}\p{Bidi_Control}]+/gu;

/** Formats an error on one line, including causes that add information. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error).replaceAll(spaces, " ").trim();
  const message = error.message.replaceAll(spaces, " ").trim();
  const cause = error.cause === undefined ? "" : oneLine(error.cause);
  return message.includes(cause) ? message : `${message}: ${cause}`;
}
