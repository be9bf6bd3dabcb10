/** Something the user can put right: it is shown as one line, and the program ends with exit code 2. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** One line that says what went wrong, causes included where they add to it. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error).replaceAll(/\s+/g, " ").trim();
  const message = error.message.replaceAll(/\s+/g, " ").trim();
  const cause = error.cause === undefined ? "" : oneLine(error.cause);
  return message.includes(cause) ? message : `${message}: ${cause}`;
}
