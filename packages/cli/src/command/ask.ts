import type { Io } from "../process/io.ts";
import { UsageError } from "./errors.ts";

/** Asks for a flag that is missing, where somebody is there to answer; else `undefined`. @throws {UsageError} if they do not want to */
export async function ask(io: Io, message: string, placeholder: string): Promise<string | undefined> {
  if (!io.isInteractive) return undefined;
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({
    message,
    placeholder,
    validate: (value) => (value ? undefined : "something is needed here"),
  });
  if (isCancel(answer)) throw new UsageError("nothing was written");
  return answer;
}
