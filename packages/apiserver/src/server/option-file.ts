import { readFileSync, statSync } from "node:fs";

/**
 * The content of a file that an option names.
 *
 * @param attempt begins the message
 * @throws {Error} in kube-apiserver's words where it cannot be read
 */
export function readOptionFile(path: string, attempt = ""): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`${attempt}${systemMessage("open", path, cause)}`, { cause });
  }
}

const systemMessages: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
};

/** As Go words a failed call of the system. */
function systemMessage(call: string, path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return `${call} ${path}: ${systemMessages[code] ?? code}`;
}

/**
 * Looks whether a file is there that holds clients' settings.
 *
 * @throws {Error} in kube-apiserver's words where it is not, after `attempt`
 */
export function statOptionFile(path: string, attempt = ""): void {
  try {
    statSync(path);
  } catch (cause) {
    throw new Error(`${attempt}${systemMessage("stat", path, cause)}`, { cause });
  }
}
