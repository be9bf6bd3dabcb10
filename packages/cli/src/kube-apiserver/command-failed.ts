import { quote } from "@kubewright/apimachinery";
import { klogLine } from "./klog.ts";

/** Thrown if options are invalid, with kube-apiserver's messages. */
export class OptionErrors extends Error {
  override readonly name = "OptionErrors";
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
    this.errors = errors;
  }
}

/** Returns the log line that kube-apiserver prints when it exits with an error. */
export const commandFailed = (error: unknown): string =>
  klogLine("E", "run.go:72", `"command failed" err=${shown(messageOf(error))}`);

/** Quotes a string as klog does, with backquotes if that avoids escapes. */
const shown = (text: string): string => quote(text);

/** Returns an error's message, with file errors in Go's format. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const reason = reasons[code ?? ""];
  return reason && path !== undefined && syscall !== undefined ? `${syscall} ${path}: ${reason}` : error.message;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
};
