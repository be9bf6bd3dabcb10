import { emitWarning } from "node:process";

const reported = new Set<string>();

/**
 * Reports that the program uses a deprecated name. Reports each name once in the life of the process, as a `DeprecationWarning` of Node.js,
 * so `--no-deprecation` hides it, `--trace-deprecation` shows the call, and `--throw-deprecation` turns it into an error.
 *
 * @param name public name, such as `cachedKind` or `ManagerOptions.uncached`
 * @param replacement name or call to use instead
 */
export function warnDeprecated(name: string, replacement: string): void {
  if (reported.has(name)) return;
  reported.add(name);
  emitWarning(`${name} is deprecated; use ${replacement} instead, or run npx kubewright upgrade`, {
    type: "DeprecationWarning",
    code: "KUBEWRIGHT_DEPRECATED",
  });
}
