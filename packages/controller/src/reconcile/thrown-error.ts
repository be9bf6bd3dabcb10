import { inspect } from "node:util";

/** What was thrown, as an error: anything can be thrown, `undefined` too, and a log line is to say what it was. */
export const thrownError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`not an error was thrown, but ${inspect(thrown)}`, { cause: thrown });

/** Whether something failed only because its signal aborted: with the signal's reason, as an `AbortError`, or because of either. */
export function isCutShort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  const reason: unknown = signal.reason;
  let current = error;
  for (let depth = 0; depth < 10; depth++) {
    if (current === reason) return true;
    if (!(current instanceof Error)) return false;
    if (current.name === "AbortError" || (isNamed(reason) && current.name === reason.name)) return true;
    current = current.cause;
  }
  return false;
}

/** Has a name that tells it from other errors. */
const isNamed = (reason: unknown): reason is Error => reason instanceof Error && reason.name !== "Error";
