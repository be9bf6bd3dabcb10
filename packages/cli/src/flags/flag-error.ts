/** The command line is not one that the program takes; the message is what the original says. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}
