import { type Permission, parseObserved } from "@kubewright/codegen";
import { NotSoError } from "../command/errors.ts";
import { textAt } from "../project/files.ts";

/** What tests that recorded saw the program do; `undefined` where none did. @throws {NotSoError} if their file cannot be read */
export function observedIn(root: string, out: string): readonly Permission[] | undefined {
  const path = `${out}/rbac/observed.json`;
  const text = textAt(root, path);
  try {
    return text === undefined ? undefined : parseObserved(text, path);
  } catch (error) {
    throw new NotSoError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** What is said of a permission that is declared, and that no test has used. No failure: tests need not reach everything. */
export const excessText = (permission: string): string =>
  `${permission}: is declared, and no recorded test has used it: remove .needs, or add a test and record again`;
