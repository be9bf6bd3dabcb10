import { type Finding, linesOf } from "../site/finding.ts";

/** A command in a console block, and the output that the page shows for it. */
export interface ConsoleCommand {
  /** Line in the page, from 1. */
  readonly line: number;
  /** The command as the shell reads it. In the page, its continuation lines begin with `> `. */
  readonly text: string;
  readonly expected: readonly string[];
}

/** A fenced block in the language `console`. */
export interface ConsoleBlock {
  readonly file: string;
  readonly line: number;
  readonly commands: readonly ConsoleCommand[];
  /**
   * True if the block's last command continues to run until the end of the page after it has printed the expected
   * output.
   */
  readonly stays: boolean;
  /** True if the block is in a comment. Readers then do not see the block, and its output is not compared. */
  readonly isHidden: boolean;
  /** Reason why the block is not run. */
  readonly notRun?: string;
}

export interface ConsoleBlocks {
  readonly blocks: readonly ConsoleBlock[];
  readonly findings: readonly Finding[];
}

const wanted =
  'expected <!-- console: stays -->, <!-- console: not run: REASON -->, <!-- console: page not run: REASON -->, or "<!-- console" with "$ " lines below';

/** Returns the console blocks of a page in order, including those in comments. */
export function consoleBlocks(file: string, text: string): ConsoleBlocks {
  const blocks: ConsoleBlock[] = [];
  const findings: Finding[] = [];
  const lines = linesOf(text);
  let stays = false;
  let notRun: string | undefined;
  let pageNotRun: string | undefined;
  for (let index = 0; index < lines.length; index++) {
    const { line, isCode } = lines[index] ?? { line: "", isCode: false };
    const directive = isCode ? undefined : /^<!-- console(?:: (.*?) ?-->)?$/.exec(line);
    const isOpening = isCode && !lines[index - 1]?.isCode && /^```console\b/.test(line);
    const opensAfterFence = isCode && /^```console\b/.test(line) && /^```$/.test(lines[index - 1]?.line ?? "");
    if (directive?.[1] !== undefined) {
      const [, isPage, reason] = /^(page )?not run: (\S.*)$/.exec(directive[1]) ?? [];
      if (directive[1] === "stays") stays = true;
      else if (reason === undefined) findings.push({ file, line: index + 1, message: `"${line}": ${wanted}` });
      else if (isPage) pageNotRun = reason;
      else notRun = reason;
    } else if (directive || isOpening || opensAfterFence) {
      const end = lines.findIndex(({ line }, at) => at > index && line === (directive ? "-->" : "```"));
      const body = lines.slice(index + 1, end < 0 ? lines.length : end).map(({ line }) => line);
      const commands = commandsOf(body, index + 2);
      if (typeof commands === "string") findings.push({ file, line: index + 1, message: commands });
      else
        blocks.push({
          file,
          line: index + 1,
          commands,
          stays,
          isHidden: directive !== undefined && directive !== null,
          ...(notRun === undefined ? {} : { notRun }),
        });
      [stays, notRun] = [false, undefined];
      index = end < 0 ? lines.length : end;
    } else if (!isCode && line.includes("<!-- console"))
      findings.push({ file, line: index + 1, message: `"${line}": ${wanted}` });
    else if (line.trim() !== "" && (stays || notRun !== undefined)) {
      findings.push({ file, line: index + 1, message: "no console block follows this comment" });
      [stays, notRun] = [false, undefined];
    }
  }
  const reason = pageNotRun;
  return { blocks: reason === undefined ? blocks : blocks.map((block) => ({ ...block, notRun: reason })), findings };
}

function commandsOf(lines: readonly string[], from: number): readonly ConsoleCommand[] | string {
  const commands: { line: number; text: string; expected: string[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const last = commands.at(-1);
    if (line.startsWith("$ ")) commands.push({ line: from + index, text: line.slice(2), expected: [] });
    else if (!last) return 'a console block must begin with "$ " and a command';
    else if (/^>(?: |$)/.test(line) && last.expected.length === 0) last.text += `\n${line.slice(2)}`;
    else last.expected.push(line);
  }
  return commands.length > 0 ? commands : "a console block without a command";
}
