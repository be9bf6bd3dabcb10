/**
 * Thrown if a Secret to which a spec refers does not exist or contains a value that cannot be sent to a CNF. The
 * message never contains the value.
 */
export class BadSecretError extends Error {
  override readonly name = "BadSecretError";
}
