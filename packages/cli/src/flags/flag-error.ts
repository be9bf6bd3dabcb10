/** Thrown for an invalid command line, with the original program's message. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}
