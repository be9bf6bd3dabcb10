import { NameError } from "../resolve/name-error.ts";
import { CompositeError, type Environment } from "./composite-kind.ts";

/**
 * Returns the addresses for a name.
 *
 * @param failure beginning of the error message
 * @throws {CompositeError} if the name has no addresses
 */
export function resolved(
  { addressesOf }: Pick<Environment, "addressesOf">,
  name: string | undefined,
  failure: string,
  { dropsChildren = false } = {},
): readonly [string, ...string[]] {
  try {
    const [first, ...others] = addressesOf(name ?? "");
    if (first !== undefined) return [first, ...others];
  } catch (cause) {
    if (!(cause instanceof NameError)) throw cause;
    throw new CompositeError(`${failure}: ${cause.message}`, {
      cause,
      dropsChildren: dropsChildren && cause.doesNotExist,
    });
  }
  throw new CompositeError(failure);
}

/**
 * Returns a port in the CNF's notation, or `""` if there is none.
 *
 * @param field field name for messages
 * @throws {CompositeError} if the value is not a port number
 */
export function portOf(value: string | undefined, field: string): string {
  const text = (value ?? "").trim();
  if (text !== "" && !(/^[0-9]{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535))
    throw new CompositeError(
      `${field}: ${JSON.stringify(text.slice(0, 64))} is not a port; use a number from 1 to 65535`,
    );
  return text;
}

/** Returns a value from the composite's facts as text, or `""` if the value is absent or a list. */
export const textOf = (fact: string | readonly string[] | undefined): string => (typeof fact === "string" ? fact : "");

export const listOf = (fact: string | readonly string[] | undefined): readonly string[] =>
  Array.isArray(fact) ? fact : [];
