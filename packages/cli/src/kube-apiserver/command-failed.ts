import { quote } from "@kubewright/apimachinery";
import { klogLine } from "./klog.ts";

/** Options that cannot work, each in kube-apiserver's words. */
export class OptionErrors extends Error {
  override readonly name = "OptionErrors";
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
    this.errors = errors;
  }
}

/** What kube-apiserver writes when it ends because of an error. */
export const commandFailed = (error: unknown): string =>
  klogLine("E", "run.go:72", `"command failed" err=${shown(messageOf(error))}`);

/** Between backquotes where that spares escapes, as klog shows a text. */
const shown = (text: string): string => quote(text);

/** A file that is missing is reported as Go does. */
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
