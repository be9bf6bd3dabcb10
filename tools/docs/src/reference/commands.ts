import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { main } from "@kubewright/cli";
import { root } from "../workspace.ts";

/** A command and its `--help` text. */
export interface CommandHelp {
  /** The command, such as `kubewright create api`. */
  readonly command: string;
  readonly text: string;
}

/** Returns the help texts of `kubewright` and of all its subcommands, which it finds in the lists of commands. */
export async function kubewrightHelps(words: readonly string[] = []): Promise<readonly CommandHelp[]> {
  const text = await helpOf(words);
  const [, list = ""] = /^Commands:\n((?: .*\n)*)/m.exec(text) ?? [];
  const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help");
  const below: CommandHelp[] = [];
  for (const name of names) below.push(...(await kubewrightHelps([...words, name])));
  return [{ command: ["kubewright", ...words].join(" "), text: text.trimEnd() }, ...below];
}

async function helpOf(words: readonly string[]): Promise<string> {
  let text = "";
  const keep = (more: string): void => {
    text += more;
  };
  const io = { out: keep, err: keep, env: {} };
  const code = await main([...words, "--help"], io);
  if (code !== 0 || text === "") throw new Error(`kubewright ${words.join(" ")} --help ended with ${code}: ${text}`);
  return text;
}

/** Returns the help texts of programs that are started from a file. */
export function programHelps(): Promise<readonly CommandHelp[]> {
  const operator = join(root, "apps/sdewan-operator/bin/sdewan-operator.mjs");
  const program = join(root, "tools/docs/src/reference/program.ts");
  return Promise.all([
    helpBy("node src/main.ts", [program, "--help"]),
    ...[[], ["diff"], ["status"], ["export"], ["trace"], ["plan"]].map((words) =>
      helpBy(["sdewan-operator", ...words].join(" "), [operator, ...words, "--help"]),
    ),
  ]);
}

async function helpBy(command: string, args: readonly string[]): Promise<CommandHelp> {
  const words = ["--conditions=@kubewright/source", ...args];
  const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 60_000 }).catch((cause: unknown) => {
    throw new Error(`${command} --help failed`, { cause });
  });
  if (stdout === "") throw new Error(`${command} --help printed nothing`);
  return { command, text: stdout.trimEnd() };
}

/** Returns the long flags that a text contains. */
export const flagsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/(?<![\w-])--([a-z][a-z0-9-]*)/g)].map(([flag]) => flag));
