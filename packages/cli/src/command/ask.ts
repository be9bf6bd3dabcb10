import type { Io } from "../process/io.ts";
import { UsageError } from "./errors.ts";

/**
 * Prompts for the value of a missing flag. Returns undefined if the terminal is not interactive.
 *
 * @throws {UsageError} if the user cancels
 */
export async function ask(io: Io, message: string, placeholder: string): Promise<string | undefined> {
  if (!io.isInteractive) return undefined;
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({
    message,
    placeholder,
    validate: (value) => (value ? undefined : "a value is required"),
  });
  if (isCancel(answer)) throw new UsageError("cancelled; nothing was written");
  return answer;
}
