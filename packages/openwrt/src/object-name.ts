import { NameNotStorableError } from "./errors.ts";

/**
 * A name as part of a path. A CNF takes it as it stands there, without decoding it, so a name that an address cannot hold, or
 * that would lead to another address, is refused.
 *
 * @throws {NameNotStorableError}
 */
export function pathSegment(name: string): string {
  // A name from a file or a spec that nobody checked may be no text at all.
  if (typeof name !== "string" || !/^[\w.~!$&'()*+,;=:@[\]-]+$/.test(name) || name === "." || name === "..")
    throw new NameNotStorableError(400, name);
  return name;
}

/**
 * The same for a network interface, whose name a CNF puts into a command line: what Linux lets be a name, without what means
 * something to a shell.
 *
 * @throws {NameNotStorableError}
 */
export function interfaceSegment(name: string): string {
  if (typeof name !== "string" || !/^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}$/.test(name))
    throw new NameNotStorableError(400, name);
  return name;
}
