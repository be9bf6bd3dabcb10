import type { Permission } from "@kubewright/apimachinery";
import { parseObserved } from "@kubewright/rbac";
import { CommandError } from "../command/errors.ts";
import { textAt } from "../project/files.ts";

/**
 * Reads the permissions recorded by tests. Returns undefined if there are none.
 *
 * @throws {CommandError} if the file cannot be parsed
 */
export function observedIn(root: string, out: string): readonly Permission[] | undefined {
  const path = `${out}/rbac/observed.json`;
  const text = textAt(root, path);
  try {
    return text === undefined ? undefined : parseObserved(text, path);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Returns a note about a declared permission that no test has used. It is not an error, because tests need not cover everything. */
export const excessText = (permission: string): string =>
  `${permission} is declared, but no recorded test uses it; remove .needs, or add a test and record again`;
