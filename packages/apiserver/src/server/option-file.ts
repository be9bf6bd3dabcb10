import { readFileSync, statSync } from "node:fs";

/**
 * Reads the file whose path is given by an option.
 *
 * @param attempt start of the error message
 *
 * @throws {Error} with kube-apiserver's message if the file cannot be read
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
 * Checks that the file named in an option for client settings exists.
 *
 * @throws {Error} if the file does not exist; the message is `attempt`, followed by kube-apiserver's message
 */
export function statOptionFile(path: string, attempt = ""): void {
  try {
    statSync(path);
  } catch (cause) {
    throw new Error(`${attempt}${systemMessage("stat", path, cause)}`, { cause });
  }
}
