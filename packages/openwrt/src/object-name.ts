import { NameNotStorableError } from "./errors.ts";

/**
 * Checks that a name can be a path segment, and returns it. Rejects names that cannot be part of a URL or that would
 * change the path, because CNFs do not decode the path.
 *
 * @throws {NameNotStorableError} if the name is not valid
 */
export function pathSegment(name: string): string {
  // A name that comes unchecked from a file or a spec may not be text.
  if (typeof name !== "string" || !/^[\w.~!$&'()*+,;=:@[\]-]+$/.test(name) || name === "." || name === "..")
    throw new NameNotStorableError(400, name);
  return name;
}

/**
 * Checks the name of a network interface, and returns it as a path segment. Because CNFs insert the name into a command
 * line, the name must be valid on Linux and must not contain characters with a special meaning in a shell.
 *
 * @throws {NameNotStorableError} if the name is not valid
 */
export function interfaceSegment(name: string): string {
  if (typeof name !== "string" || !/^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}$/.test(name))
    throw new NameNotStorableError(400, name);
  return name;
}
