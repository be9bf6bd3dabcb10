/** What a spec says to be in a Secret is not there, or is nothing that a CNF can have. Never repeats what is there. */
export class BadSecretError extends Error {
  override readonly name = "BadSecretError";
}
