import { NameNotStorableError } from "./errors.ts";

/**
 * Returns a name as a segment of a path. A CNF does not decode the path, so names that cannot be part of a URL, or would change the
 * path, are refused.
 *
 * @throws {NameNotStorableError} if the name is not valid
 */
export function pathSegment(name: string): string {
  // An unchecked name from a file or a spec may not be text.
  if (typeof name !== "string" || !/^[\w.~!$&'()*+,;=:@[\]-]+$/.test(name) || name === "." || name === "..")
    throw new NameNotStorableError(400, name);
  return name;
}

/**
 * Returns the name of a network interface as a segment. A CNF inserts the name into a command line, so it must be a name that Linux
 * allows, without characters that have a special meaning in a shell.
 *
 * @throws {NameNotStorableError} if the name is not valid
 */
export function interfaceSegment(name: string): string {
  if (typeof name !== "string" || !/^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}$/.test(name))
    throw new NameNotStorableError(400, name);
  return name;
}
