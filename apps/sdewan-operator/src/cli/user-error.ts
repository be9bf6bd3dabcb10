/** An error that the user can fix. The program prints it as one line and exits with code 2. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** Returns the error on one line, with causes that add information. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error).replaceAll(/\s+/g, " ").trim();
  const message = error.message.replaceAll(/\s+/g, " ").trim();
  const cause = error.cause === undefined ? "" : oneLine(error.cause);
  return message.includes(cause) ? message : `${message}: ${cause}`;
}
