/** Thrown if a name has no addresses or cannot currently be resolved. */
export class NameError extends Error {
  override readonly name = "NameError";
  /** True if, according to the resolver, the name has no addresses. */
  readonly doesNotExist: boolean;

  constructor(message: string, doesNotExist: boolean, options: ErrorOptions = {}) {
    super(message, options);
    this.doesNotExist = doesNotExist;
  }
}

/** Error codes of resolvers for a name that does not exist or has no address. */
const notFoundCodes: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

/** Returns the error for a failed resolution. */
export function nameErrorOf(name: string, cause: unknown): NameError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (notFoundCodes.has(code)) return noAddress(name, { cause });
  const reason = code ?? (cause instanceof Error ? cause.message : cause);
  return new NameError(`${name} cannot be resolved at the moment: ${String(reason)}`, false, { cause });
}

export const noAddress = (name: string, options: ErrorOptions = {}): NameError =>
  new NameError(`${name} has no IPv4 address`, true, options);
