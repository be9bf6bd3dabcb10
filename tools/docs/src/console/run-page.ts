import type { Finding } from "../site/finding.ts";
import type { ConsoleBlock, ConsoleCommand } from "./blocks.ts";
import { differenceOf } from "./compare.ts";
import { type Printed, Session } from "./session.ts";

/** Environment in which the commands of a page run. */
export interface PageSetting {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Time limit of one command. */
  readonly timeoutMs: number;
}

/** Runs the blocks of one page one after the other in one shell. @returns the commands whose output differs from the page */
export async function runPage(blocks: readonly ConsoleBlock[], setting: PageSetting): Promise<readonly Finding[]> {
  await using session = new Session(setting.folder, setting.env);
  const findings: Finding[] = [];
  for (const block of blocks) {
    if (block.notRun !== undefined) continue;
    for (const command of block.commands) {
      const print = (message: string): void => {
        const [first = ""] = command.text.split("\n", 1);
        findings.push({ file: block.file, line: command.line, message: `\`${first}\` ${message}` });
      };
      try {
        const stays = block.stays && command === block.commands.at(-1);
        const printed = await (stays
          ? session.start(command.text, setting.timeoutMs, (lines) => isPrinted(command, lines))
          : session.run(command.text, setting.timeoutMs));
        const problem = block.isHidden ? failureOf(printed) : problemOf(command, printed);
        if (problem !== undefined) print(problem);
        if (problem !== undefined && block.isHidden) return findings; // later blocks depend on it
      } catch (error) {
        print(error instanceof Error ? error.message.trimEnd() : String(error));
        return findings; // the shell can no longer be used
      }
    }
  }
  return findings;
}

const isPrinted = ({ expected }: ConsoleCommand, lines: readonly string[]): boolean =>
  differenceOf(expected, lines, true) === undefined;

const failureOf = ({ lines, code }: Printed): string | undefined =>
  code === 0 || code === undefined ? undefined : `ended with ${code}: ${lines.join("\n").trimEnd()}`;

function problemOf({ expected }: ConsoleCommand, { lines, code }: Printed): string | undefined {
  const difference = differenceOf(expected, lines, code === undefined);
  if (difference !== undefined) return `printed something else:\n${difference}`;
  const isSilent = expected.every((line) => line.trim() === "");
  return isSilent && code !== 0 && code !== undefined ? `ended with ${code}, which the page does not show` : undefined;
}
