import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the path of the `kubectl` that a shell would run, or undefined if there is none. */
export function kubectlOnPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, "kubectl"))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(realpathSync(path)).isFile();
  } catch {
    return false; // missing or not executable: try the next folder
  }
}
