/** A name has no addresses, or cannot be resolved at the moment. */
export class NameError extends Error {
  override readonly name = "NameError";
  /** True if the resolver answered that the name has no addresses. */
  readonly isGone: boolean;

  constructor(message: string, isGone: boolean, options: ErrorOptions = {}) {
    super(message, options);
    this.isGone = isGone;
  }
}

/** Error codes of resolvers for a name that does not exist or has no address. */
const goneCodes: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

/** Returns the error for a failed resolution. */
export function nameErrorOf(name: string, cause: unknown): NameError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (goneCodes.has(code)) return noAddress(name, { cause });
  const reason = code ?? (cause instanceof Error ? cause.message : cause);
  return new NameError(`${name} cannot be resolved at the moment: ${String(reason)}`, false, { cause });
}

export const noAddress = (name: string, options: ErrorOptions = {}): NameError =>
  new NameError(`${name} has no IPv4 address`, true, options);
