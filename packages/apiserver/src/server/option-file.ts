import { readFileSync, statSync } from "node:fs";

/**
 * Reads the file that an option names.
 *
 * @param attempt prefix of the message
 *
 * @throws {Error} with kube-apiserver's message if it cannot be read
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

/** Returns Go's message for a failed system call. */
function systemMessage(call: string, path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return `${call} ${path}: ${systemMessages[code] ?? code}`;
}

/**
 * Checks that a file with client settings exists.
 *
 * @throws {Error} with `attempt` and kube-apiserver's message if it does not
 */
export function statOptionFile(path: string, attempt = ""): void {
  try {
    statSync(path);
  } catch (cause) {
    throw new Error(`${attempt}${systemMessage("stat", path, cause)}`, { cause });
  }
}
